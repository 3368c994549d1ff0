package textfile

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// history writes the history items of n files of an owner, oldest first, and
// returns their ids newest first. Every tenth is FAILED, the others PENDING.
func (d *fixture) history(owner string, n int) (ids, failed []string) {
	d.t.Helper()
	var batch []types.WriteRequest
	for i := range n {
		id := fmt.Sprintf("%s-%05d", owner, i)
		f := File{FileID: id, OwnerID: owner, FileName: id, Status: Pending, CreatedAt: int64(i), UpdatedAt: int64(i)}
		if i%10 == 0 {
			f.Status, f.ErrorMessage = Failed, "it is a PDF"
			failed = append(failed, id)
		}
		ids = append(ids, id)
		item, err := attributevalue.MarshalMap(f)
		if err != nil {
			d.t.Fatal(err)
		}
		for name, value := range historyKey(owner, id) {
			item[name] = value
		}
		batch = append(batch, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
		if len(batch) == 25 || i == n-1 { // a request has at most 25 items
			out, err := d.db.BatchWriteItem(d.t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{d.table: batch}})
			if err != nil || len(out.UnprocessedItems) != 0 {
				d.t.Fatal(out, err)
			}
			batch = nil
		}
	}
	slices.Reverse(ids)
	slices.Reverse(failed)
	return ids, failed
}

// pages reads an entire list and returns the ids and the number of pages.
func (d *fixture) pages(l Listing) (ids []string, pages int) {
	d.t.Helper()
	for {
		page, err := d.List(d.t.Context(), l)
		if err != nil {
			d.t.Fatal(err)
		}
		if len(page.Files) > int(l.Limit) {
			d.t.Fatalf("got a page of %d files, want at most %d", len(page.Files), l.Limit)
		}
		for _, f := range page.Files {
			if f.OwnerID != l.OwnerID || l.Status != "" && f.Status != l.Status || f.Result != nil {
				d.t.Errorf("got file %+v, want one of %s with status %q and without result", f, l.OwnerID, l.Status)
			}
			ids = append(ids, f.FileID)
		}
		pages++
		if page.NextCursor == "" {
			return ids, pages
		}
		if pages > 1000 {
			d.t.Fatal("got more than 1000 pages, want fewer")
		}
		l.Cursor = page.NextCursor
	}
}

func TestListPagesWithoutGapOrRepeat(t *testing.T) {
	d := open(t)
	ids, failed := d.history("ann", 230)
	d.history("anna", 3)
	d.history("an", 3)
	for _, limit := range []int32{1, 7, 23, 229, 230, 231, 1000} {
		got, pages := d.pages(Listing{OwnerID: "ann", Limit: limit})
		if !slices.Equal(got, ids) {
			t.Errorf("in pages of %d: got %d files, want all %d, newest first", limit, len(got), len(ids))
		}
		if full := (len(ids) + int(limit) - 1) / int(limit); pages < full || pages > full+1 {
			t.Errorf("in pages of %d: got %d pages, want %d, or one more that is empty", limit, pages, full)
		}
		got, _ = d.pages(Listing{OwnerID: "ann", Limit: limit, Status: Failed})
		if !slices.Equal(got, failed) {
			t.Errorf("FAILED in pages of %d: got %v, want %v", limit, got, failed)
		}
	}
	if got, pages := d.pages(Listing{OwnerID: "nobody", Limit: 5}); len(got) != 0 || pages != 1 {
		t.Errorf("an unknown owner: got %v on %d pages, want none on 1", got, pages)
	}
}

// Listing a rare status in a long list takes a bounded number of reads per page.
func TestListOfRareStatusIsBounded(t *testing.T) {
	d := open(t)
	const files = 20*100 + 50 // List makes at most 20 reads of 100 files for a page
	d.history("ann", files)
	first, err := d.List(t.Context(), Listing{OwnerID: "ann", Limit: 10, Status: Completed})
	if err != nil || len(first.Files) != 0 || first.NextCursor == "" {
		t.Errorf("got %+v, error %v, want an empty page with a cursor", first, err)
	}
	if got, pages := d.pages(Listing{OwnerID: "ann", Limit: 10, Status: Completed}); len(got) != 0 || pages != 2 {
		t.Errorf("got files %v on %d pages, want none on 2", got, pages)
	}
}

func TestListIsStronglyConsistent(t *testing.T) {
	d := open(t)
	var want []string
	for range 5 {
		id, err := NewFileID()
		if err != nil {
			t.Fatal(err)
		}
		d.next(d.Reserve(t.Context(), File{FileID: id, OwnerID: "ann", FileName: "a"}))
		want = append([]string{id}, want...)
		if got, _ := d.pages(Listing{OwnerID: "ann", Limit: 2}); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func TestListRejectsForeignCursors(t *testing.T) {
	d := open(t)
	d.history("ann", 5)
	d.history("bob", 5)
	page, err := d.List(t.Context(), Listing{OwnerID: "bob", Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	for name, cursor := range map[string]string{
		"cursor of another owner": page.NextCursor,
		"malformed cursor":        "!!",
	} {
		page, err := d.List(t.Context(), Listing{OwnerID: "ann", Limit: 2, Cursor: cursor})
		if !errors.Is(err, table.ErrCursor) {
			t.Errorf("%s: got %+v, error %v, want ErrCursor", name, page, err)
		}
	}
}

func TestListShowsStatesAndErrors(t *testing.T) {
	d := open(t)
	for _, state := range Machine().States() {
		d.file(state)
		page, err := d.List(t.Context(), Listing{OwnerID: "ann", Limit: 2, Status: state})
		if err != nil || len(page.Files) != 1 || page.Files[0].Status != state || (page.Files[0].ErrorMessage != "") != (state == Failed) {
			t.Errorf("%s: got %+v, error %v, want one file in that state", state, page.Files, err)
		}
		for _, other := range []lifecycle.State{Pending, InProgress, Completed, Failed} {
			page, err := d.List(t.Context(), Listing{OwnerID: "ann", Limit: 2, Status: other})
			if err != nil || len(page.Files) > 0 && other != state {
				t.Errorf("%s: got a file in the list of state %s, error %v, want none", state, other, err)
			}
		}
	}
}

// TestCountsAreThoseOfCompletedFiles checks that only COMPLETED files have counts, also if the list is older than the file.
func TestCountsAreThoseOfCompletedFiles(t *testing.T) {
	d := open(t)
	var files []File
	for i := range 2 {
		f, err := d.Reserve(t.Context(), File{FileID: fmt.Sprintf("f%d", i), OwnerID: "ann", S3Key: "files/f"})
		if err == nil {
			f, err = d.Claim(t.Context(), f)
		}
		if err == nil {
			f, err = d.Complete(t.Context(), f, Result{TotalWords: int64(5 + i), UniqueWords: 3, Size: 42, Top10Words: []WordCount{{"the", 2}}})
		}
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if _, err := d.RetryAs(t.Context(), files[1], "utf-8"); err != nil {
		t.Fatal(err)
	}
	waiting, err := d.Reserve(t.Context(), File{FileID: "f2", OwnerID: "ann", S3Key: "files/f"})
	if err != nil {
		t.Fatal(err)
	}
	counts, err := d.Counts(t.Context(), append(files, waiting))
	if want := (WordTotals{TotalWords: 5, UniqueWords: 3, Size: 42}); err != nil || len(counts) != 1 || counts["f0"] != want {
		t.Errorf("got %v, error %v, want only %v of f0", counts, err, want)
	}
}

// TestListContinuesAfterAFile checks that a list continues behind each file, also if the file was deleted, and that its files are
// sorted by Listed.
func TestListContinuesAfterAFile(t *testing.T) {
	d := open(t)
	var files []File
	for range 4 {
		id, err := NewFileID()
		if err != nil {
			t.Fatal(err)
		}
		files = append([]File{d.next(d.Reserve(t.Context(), File{FileID: id, OwnerID: "ann", FileName: "a"}))}, files...)
	}
	for i, f := range files {
		cursor, err := d.After(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Delete(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		page, err := d.List(t.Context(), Listing{OwnerID: "ann", Limit: 10, Cursor: cursor})
		if err != nil || len(page.Files) != len(files)-1-i || len(page.Files) > 0 && page.Files[0].FileID != files[i+1].FileID {
			t.Errorf("after file %d: got %+v, error %v, want the files after it", i, page, err)
		}
		if i > 0 && f.Listed().After(files[i-1].Listed()) || time.Since(f.Listed()).Abs() > time.Minute {
			t.Errorf("file %d is listed at %s, want the time of its id, and none after that of the file before", i, f.Listed())
		}
	}
}
