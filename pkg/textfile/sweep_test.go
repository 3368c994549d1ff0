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
func (d *fixture) scan(limit int32) []Scanned {
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
			t.Errorf("got a page of %d items with %d files and %d listed, want at most 7 items in total", page.Items, len(page.Files), len(page.Listed))
		}
		for _, f := range page.Files {
			meta[f.FileID]++
		}
		for _, f := range page.Listed {
			listed[f.FileID]++
		}
		if found, err := d.Inconsistent(t.Context(), page); err != nil || len(found) != 0 {
			t.Errorf("got inconsistent files %v, error %v, want none", found, err)
		}
	}
	for i := range files {
		if id := fmt.Sprint("f", i); meta[id] != 1 || listed[id] != 1 {
			t.Errorf("%s: got %d metadata items and %d history items, want 1 and 1", id, meta[id], listed[id])
		}
	}
	if _, err := d.Scan(t.Context(), "x", 7); !errors.Is(err, table.ErrCursor) {
		t.Errorf("a malformed cursor: got error %v, want ErrCursor", err)
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
				t.Fatalf("got page %+v, want 4 items, one of them broken", page)
			}
			if got, want := page.Broken[0].Key, fmt.Sprint(broken["PK"], " ", broken["SK"]); got != want || page.Broken[0].Err == nil {
				t.Errorf("got broken item %s, error %v, want %s and an error", got, page.Broken[0].Err, want)
			}
			found, err := d.Inconsistent(t.Context(), page)
			if err != nil || len(found) != 1 || *found[0].Meta != stale {
				t.Errorf("got inconsistent files %v, error %v, want f2 only", found, err)
			}
			keys, err := d.Keys(t.Context(), []string{"f1", "f2", "f3"})
			if want := map[string]string{"f1": []string{"", "files/f1/u1"}[which], "f2": "files/f2/u2"}; err != nil || !maps.Equal(keys, want) {
				t.Errorf("got keys %v, error %v, want %v", keys, err, want)
			}
		})
	}
}

// TestBatchOmitsResult checks that batch reads all attributes that both items have. Otherwise
// every file would seem inconsistent and be read again.
func TestBatchOmitsResult(t *testing.T) {
	for _, status := range Machine().States() {
		d := open(t)
		want := d.file(status)
		want.Result = nil
		keys := []table.Key{metaKey(want.FileID), historyKey(want.OwnerID, want.FileID)}
		got, err := d.batch(t.Context(), keys, true)
		if err != nil || len(got) != len(keys) {
			t.Fatalf("%s: got items %v, error %v, want both items", status, got, err)
		}
		for key, file := range got {
			if file == nil || *file != want {
				t.Errorf("%s: %s: got %+v, want %+v", status, key, file, want)
			}
		}
	}
}

func TestInconsistentItemsAreRepaired(t *testing.T) {
	for name, change := range map[string]func(meta, history row) (row, row){
		"missing history":  func(meta, _ row) (row, row) { return meta, nil },
		"stale history":    func(meta, history row) (row, row) { history["updatedAt"] = 1.0; return meta, history },
		"other message":    func(meta, history row) (row, row) { history["errorMessage"] = "other"; return meta, history },
		"missing metadata": func(_, history row) (row, row) { return nil, history },
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
				repaired := 0
				for _, page := range d.scan(ScanLimit) {
					found, err := d.Inconsistent(t.Context(), page)
					if err != nil {
						t.Fatal(err)
					}
					for _, pair := range found {
						repaired++
						if err := d.Repair(t.Context(), pair); err != nil {
							t.Error(err)
						}
					}
				}
				if repaired == 0 {
					t.Error("got no inconsistent file, want one")
				}
				d.expect(wantMeta, wantHistory)
			})
		}
	}
}

// Repair and Expire never overwrite a write that was made since the items were read, even if it left
// the state unchanged.
func TestRepairAndExpireFailAfterMove(t *testing.T) {
	for from, move := range map[lifecycle.State]func(*fixture, File) (File, error){
		Pending:    func(d *fixture, f File) (File, error) { return d.Claim(t.Context(), f) },
		InProgress: func(d *fixture, f File) (File, error) { return d.TakeOver(t.Context(), f) },
	} {
		d := open(t)
		before := d.file(from)
		d.next(move(d, before))
		want, wantHistory := d.rows()
		if err := d.Repair(t.Context(), Pair{Meta: &before}); !errors.Is(err, lifecycle.ErrFenceLost) {
			t.Errorf("%s: Repair with a stale item: got error %v, want ErrFenceLost", from, err)
		}
		if err := d.Repair(t.Context(), Pair{History: &before}); !errors.Is(err, lifecycle.ErrFenceLost) {
			t.Errorf("%s: Repair without a metadata item: got error %v, want ErrFenceLost", from, err)
		}
		if err := d.Expire(t.Context(), before); !errors.Is(err, lifecycle.ErrFenceLost) {
			t.Errorf("%s: Expire of a file that moved: got error %v, want ErrFenceLost", from, err)
		}
		if got, gotHistory := d.rows(); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotHistory, wantHistory) {
			t.Errorf("%s: got items %v and %v, want %v and %v", from, got, gotHistory, want, wantHistory)
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
		t.Errorf("got %v, error %v, want the key of f1 only", got, err)
	}
}
