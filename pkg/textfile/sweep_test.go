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

// scan reads the whole table in pages of the given size.
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

func TestScanSeesEveryItemOnce(t *testing.T) {
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
		if apart, err := d.Apart(t.Context(), page); err != nil || len(apart) != 0 {
			t.Errorf("files are apart that are not: %v, %v", apart, err)
		}
	}
	for i := range files {
		if id := fmt.Sprint("f", i); meta[id] != 1 || listed[id] != 1 {
			t.Errorf("%s was seen %d and %d times", id, meta[id], listed[id])
		}
	}
	if _, err := d.Scan(t.Context(), "x", 7); !errors.Is(err, table.ErrCursor) {
		t.Errorf("a cursor of nobody: %v", err)
	}
}

func TestItemsApartAreMended(t *testing.T) {
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
					apart, err := d.Apart(t.Context(), page)
					if err != nil {
						t.Fatal(err)
					}
					for _, pair := range apart {
						mended++
						if err := d.Mend(t.Context(), pair); err != nil {
							t.Error(err)
						}
					}
				}
				if mended == 0 {
					t.Error("nothing was found")
				}
				d.expect(wantMeta, wantHistory)
			})
		}
	}
}

// What a mover wrote since the items were read is never written over.
func TestMendAndExpireLoseToAMove(t *testing.T) {
	d := open(t)
	before := d.file(Pending)
	d.next(d.Claim(t.Context(), before))
	want, wantHistory := d.rows()
	if err := d.Mend(t.Context(), Pair{Meta: &before}); !errors.Is(err, lifecycle.ErrFenceLost) {
		t.Errorf("mend with a stale item: %v", err)
	}
	if err := d.Mend(t.Context(), Pair{History: &before}); !errors.Is(err, lifecycle.ErrFenceLost) {
		t.Errorf("mend as if there were no metadata item: %v", err)
	}
	if err := d.Expire(t.Context(), before); !errors.Is(err, lifecycle.ErrFenceLost) {
		t.Errorf("expire a claimed file: %v", err)
	}
	if got, gotHistory := d.rows(); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotHistory, wantHistory) {
		t.Errorf("the items became %v and %v", got, gotHistory)
	}
}

func TestExpireRemovesBothItems(t *testing.T) {
	d := open(t)
	if err := d.Expire(t.Context(), d.file(Pending)); err != nil {
		t.Fatal(err)
	}
	d.expect(nil, nil)
}

func TestKeysNamesTheFilesThatExist(t *testing.T) {
	d := open(t)
	d.file(Completed)
	got, err := d.Keys(t.Context(), []string{"f1", "f2"})
	if err != nil || !maps.Equal(got, map[string]string{"f1": "files/f1/u1"}) {
		t.Errorf("%v, %v", got, err)
	}
}
