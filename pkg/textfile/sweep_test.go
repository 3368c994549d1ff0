package textfile

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"testing"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// scan reads the entire table in pages of the given size.
func (d *desk) scan(limit int32) []Scanned {
	d.t.Helper()
	var all []Scanned
	for cursor := ""; ; {
		page, err := d.Scan(d.t.Context(), cursor, limit)
		if err != nil {
			d.t.Fatal(err)
		}
		all = append(all, page)
		if cursor = page.Next; cursor == "" {
			return all
		}
	}
}

func TestScanReturnsEveryItemOnce(t *testing.T) {
	d := open(t)
	const files = 23
	for i := range files {
		d.next(d.Reserve(t.Context(), File{FileID: fmt.Sprint("f", i), OwnerID: fmt.Sprint("owner", i%3), FileName: "a"}))
	}
	meta, listed := map[string]int{}, map[string]int{}
	for _, page := range d.scan(7) {
		if page.Items > 7 || page.Items != len(page.Files)+len(page.Listed) {
			t.Errorf("a page of %d items has %d files and %d listed", page.Items, len(page.Files), len(page.Listed))
		}
		for _, f := range page.Files {
			meta[f.FileID]++
		}
		for _, f := range page.Listed {
			listed[f.FileID]++
		}
		if found, err := d.Inconsistent(t.Context(), page); err != nil || len(found) != 0 {
			t.Errorf("consistent files are found: got %v, error %v, want none", found, err)
		}
	}
	for i := range files {
		if id := fmt.Sprint("f", i); meta[id] != 1 || listed[id] != 1 {
			t.Errorf("%s was read %d and %d times, want once", id, meta[id], listed[id])
		}
	}
	if _, err := d.Scan(t.Context(), "x", 7); !errors.Is(err, table.ErrCursor) {
		t.Errorf("a cursor that was not issued: got error %v, want ErrCursor", err)
	}
}

// TestScanReportsBrokenItems checks that one broken item is reported, does not hide other files
// from a sweep, and does not make its object an orphan.
func TestScanReportsBrokenItems(t *testing.T) {
	for name, which := range map[string]int{"metadata": 0, "history": 1} {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			meta, history := seedItems(Pending, 1795175500000)
			broken := []row{meta, history}[which]
			broken["createdAt"] = "yesterday"
			d.put(meta)
			d.put(history)
			stale := d.next(d.Reserve(t.Context(), File{FileID: "f2", OwnerID: "bob", FileName: "a", S3Key: "files/f2/u2"}))
			d.put(row{"PK": "OWNER#bob", "SK": "FILE#f2", "fileId": "f2", "ownerId": "bob", "status": "FAILED"})
			page := d.scan(ScanLimit)[0]
			if len(page.Broken) != 1 || page.Items != 4 || len(page.Files)+len(page.Listed) != 3 {
				t.Fatalf("got %+v", page)
			}
			if got, want := page.Broken[0].Key, fmt.Sprint(broken["PK"], " ", broken["SK"]); got != want || page.Broken[0].Err == nil {
				t.Errorf("broken is %s, %v; want %s", got, page.Broken[0].Err, want)
			}
			found, err := d.Inconsistent(t.Context(), page)
			if err != nil || len(found) != 1 || *found[0].Meta != stale {
				t.Errorf("inconsistent are %v, %v; want f2 alone", found, err)
			}
			keys, err := d.Keys(t.Context(), []string{"f1", "f2", "f3"})
			if want := map[string]string{"f1": []string{"", "files/f1/u1"}[which], "f2": "files/f2/u2"}; err != nil || !maps.Equal(keys, want) {
				t.Errorf("got keys %v, %v; want %v", keys, err, want)
			}
		})
	}
}

// TestBatchReadsAllButTheResult checks that all attributes that both items have are compared;
// otherwise each file would be read once more.
func TestBatchReadsAllButTheResult(t *testing.T) {
	for _, status := range Machine().States() {
		d := open(t)
		want := d.file(status)
		want.Result = nil
		keys := []table.Key{metaKey(want.FileID), historyKey(want.OwnerID, want.FileID)}
		got, err := d.batch(t.Context(), keys, true)
		if err != nil || len(got) != len(keys) {
			t.Fatalf("%s: got %v, error %v", status, got, err)
		}
		for key, file := range got {
			if file == nil || *file != want {
				t.Errorf("%s: %s is %+v, want %+v", status, key, file, want)
			}
		}
	}
}

func TestInconsistentItemsAreRepaired(t *testing.T) {
	for name, change := range map[string]func(meta, history row) (row, row){
		"history is missing":  func(meta, _ row) (row, row) { return meta, nil },
		"history is stale":    func(meta, history row) (row, row) { history["updatedAt"] = 1.0; return meta, history },
		"history has another": func(meta, history row) (row, row) { history["errorMessage"] = "other"; return meta, history },
		"metadata is missing": func(_, history row) (row, row) { return nil, history },
	} {
		for _, status := range Machine().States() {
			t.Run(name+"/"+string(status), func(t *testing.T) {
				d := open(t)
				wantMeta, wantHistory := seedItems(status, 1795175500000)
				meta, history := change(wantMeta, maps.Clone(wantHistory))
				for _, item := range []row{meta, history} {
					if item != nil {
						d.put(item)
					}
				}
				if meta == nil {
					wantMeta, wantHistory = nil, nil
				}
				mended := 0
				for _, page := range d.scan(ScanLimit) {
					found, err := d.Inconsistent(t.Context(), page)
					if err != nil {
						t.Fatal(err)
					}
					for _, pair := range found {
						mended++
						if err := d.Repair(t.Context(), pair); err != nil {
							t.Error(err)
						}
					}
				}
				if mended == 0 {
					t.Error("no inconsistent file was found")
				}
				d.expect(wantMeta, wantHistory)
			})
		}
	}
}

// A write since the items were read is never overwritten, even if it left the state unchanged.
func TestRepairAndExpireFailAfterAMove(t *testing.T) {
	for from, move := range map[lifecycle.State]func(*desk, File) (File, error){
		Pending:    func(d *desk, f File) (File, error) { return d.Claim(t.Context(), f) },
		InProgress: func(d *desk, f File) (File, error) { return d.TakeOver(t.Context(), f) },
	} {
		d := open(t)
		before := d.file(from)
		d.next(move(d, before))
		want, wantHistory := d.rows()
		if err := d.Repair(t.Context(), Pair{Meta: &before}); !errors.Is(err, lifecycle.ErrFenceLost) {
			t.Errorf("%s: repair with a stale item: got error %v, want ErrFenceLost", from, err)
		}
		if err := d.Repair(t.Context(), Pair{History: &before}); !errors.Is(err, lifecycle.ErrFenceLost) {
			t.Errorf("%s: repair as if there were no metadata item: got error %v, want ErrFenceLost", from, err)
		}
		if err := d.Expire(t.Context(), before); !errors.Is(err, lifecycle.ErrFenceLost) {
			t.Errorf("%s: expire a file that moved: got error %v, want ErrFenceLost", from, err)
		}
		if got, gotHistory := d.rows(); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotHistory, wantHistory) {
			t.Errorf("%s: got items %v and %v", from, got, gotHistory)
		}
	}
}

func TestExpireRemovesBothItems(t *testing.T) {
	d := open(t)
	if err := d.Expire(t.Context(), d.file(Pending)); err != nil {
		t.Fatal(err)
	}
	d.expect(nil, nil)
}

func TestKeysReturnsExistingFiles(t *testing.T) {
	d := open(t)
	d.file(Completed)
	got, err := d.Keys(t.Context(), []string{"f1", "f2"})
	if err != nil || !maps.Equal(got, map[string]string{"f1": "files/f1/u1"}) {
		t.Errorf("got %v, error %v", got, err)
	}
}
