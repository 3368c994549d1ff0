package photojob

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/table"
)

// fill creates jobs of ann, one per second. Every tenth is FAILED.
func (r *rig) fill(n int) (ids []string) {
	r.t.Helper()
	for i := range n {
		r.clock = r.clock.Add(time.Second)
		state := Queued
		if i%10 == 0 {
			state = Failed
		}
		ids = append(ids, r.in(state).JobID)
	}
	slices.Reverse(ids) // as lists return them
	return ids
}

// all reads a list to its end, and returns its ids and the sizes of its pages.
func (r *rig) all(l Listing) (ids []string, pages []int) {
	r.t.Helper()
	for {
		page, err := r.List(r.t.Context(), l)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, j := range page.Jobs {
			ids = append(ids, j.JobID)
		}
		pages = append(pages, len(page.Jobs))
		if l.Cursor = page.NextCursor; l.Cursor == "" {
			return ids, pages
		}
	}
}

func TestListsNewestFirst(t *testing.T) {
	r := open(t)
	ids := r.fill(45)
	failed := []string{}
	for i := range ids {
		if (len(ids)-1-i)%10 == 0 {
			failed = append(failed, ids[i])
		}
	}
	if got, pages := r.all(Listing{UserID: "ann"}); !slices.Equal(got, ids) || pages[0] != UserLimit {
		t.Errorf("got %d jobs in pages of %d, want all %d in pages of %d, newest first", len(got), pages, len(ids), UserLimit)
	}
	if got, _ := r.all(Listing{UserID: "ann", Limit: 7}); !slices.Equal(got, ids) {
		t.Errorf("got %d jobs in pages of 7, want all %d, newest first", len(got), len(ids))
	}
	if got, pages := r.all(Listing{UserID: "ann", Status: Failed, Limit: 2}); !slices.Equal(got, failed) || pages[0] != 2 {
		t.Errorf("got %d FAILED jobs in pages of %d, want %d in pages of 2", len(got), pages, len(failed))
	}
	if got, _ := r.all(Listing{Status: Failed}); !slices.Equal(got, failed) {
		t.Errorf("got %d FAILED jobs of all users, want %d", len(got), len(failed))
	}
	if got, _ := r.all(Listing{Status: Queued, From: r.clock.Add(-4 * time.Second).UnixMilli()}); !slices.Equal(got, ids[:4]) {
		t.Errorf("got newest jobs %q, want %q", got, ids[:4])
	}
	if got, _ := r.all(Listing{UserID: "bob"}); got != nil {
		t.Errorf("another owner: got jobs %q, want none", got)
	}
}

func TestCursorsOfOtherListsAreRejected(t *testing.T) {
	r := open(t)
	r.fill(3)
	page, err := r.List(t.Context(), Listing{UserID: "ann", Limit: 1})
	if err != nil || page.NextCursor == "" {
		t.Fatalf("got page %+v, error %v, want a cursor", page, err)
	}
	for _, l := range []Listing{{UserID: "bob", Cursor: page.NextCursor}, {Status: Queued, Cursor: page.NextCursor}} {
		if _, err := r.List(t.Context(), l); !errors.Is(err, table.ErrCursor) {
			t.Errorf("%+v: got error %v, want ErrCursor", l, err)
		}
	}
}

// TestListContinuesAfterAJob checks that a list continues behind each job, also if the job was deleted.
func TestListContinuesAfterAJob(t *testing.T) {
	r := open(t)
	ids := r.fill(4)
	for i, id := range ids {
		j, err := r.Delete(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		cursor, err := r.After(j)
		if err != nil {
			t.Fatal(err)
		}
		if rest, _ := r.all(Listing{UserID: "ann", Cursor: cursor}); !slices.Equal(rest, ids[i+1:]) {
			t.Errorf("after job %d: got %q, want %q", i, rest, ids[i+1:])
		}
	}
}
