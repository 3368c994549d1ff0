package textfile

import (
	"errors"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/lifecycle"
)

// keyed returns a file of ann that is reserved under an idempotency key.
func keyed(id, key string) File {
	terms := Reservation{FileName: "a.txt", Size: 1, Key: KeyHash("ann", key)}
	return File{FileID: id, OwnerID: "ann", S3Bucket: "b", S3Key: terms.ObjectKey(id), FileName: terms.FileName}
}

// TestOneFilePerKey checks that exactly one of several concurrent reservations under one key is
// written, and that the key refers to it.
func TestOneFilePerKey(t *testing.T) {
	d := open(t)
	const calls = 8
	ids := make([]string, calls)
	var reserving sync.WaitGroup
	for i := range calls {
		id, err := NewFileID()
		if err != nil {
			t.Fatal(err)
		}
		reserving.Go(func() {
			switch _, err := d.Reserve(t.Context(), keyed(id, "k")); {
			case err == nil:
				ids[i] = id
			case !errors.Is(err, lifecycle.ErrExists):
				t.Error(err)
			}
		})
	}
	reserving.Wait()
	won := ""
	for _, id := range ids {
		if id != "" && won != "" {
			t.Fatalf("got reservations %s and %s, want 1", won, id)
		}
		won += id
	}
	if got, err := d.ByKey(t.Context(), KeyHash("ann", "k")); err != nil || got != won {
		t.Errorf("ByKey: got file %q, error %v, want %s", got, err, won)
	}
	page, err := d.Scan(t.Context(), "", ScanLimit)
	if err != nil || page.Items != 3 || len(page.Files) != 1 || len(page.Listed) != 1 || len(page.Broken) != 0 {
		t.Errorf("got page %+v, error %v, want both items of one file, and the key", page, err)
	}
	if found, err := d.Inconsistent(t.Context(), page); err != nil || len(found) != 0 {
		t.Errorf("got inconsistent files %v, error %v, want none", found, err)
	}
}

// TestKeysAreRemovedWithTheirFiles checks that removing a file removes its key, unless the key now belongs
// to another file.
func TestKeysAreRemovedWithTheirFiles(t *testing.T) {
	d := open(t)
	hash := KeyHash("ann", "k")
	for name, end := range map[string]func(File) error{
		"delete": func(f File) error { return d.Delete(t.Context(), f) },
		"expire": func(f File) error { return d.Expire(t.Context(), f) },
	} {
		first := d.next(d.Reserve(t.Context(), keyed("first "+name, "k")))
		if err := end(first); err != nil {
			t.Fatal(err)
		}
		if id, err := d.ByKey(t.Context(), hash); !errors.Is(err, lifecycle.ErrNotFound) {
			t.Errorf("ByKey after %s: got file %q, error %v, want ErrNotFound", name, id, err)
		}
		second := d.next(d.Reserve(t.Context(), keyed("second "+name, "k")))
		if err := end(first); (err == nil) != (name == "delete") {
			t.Errorf("second %s: got error %v, want success = %t", name, err, name == "delete")
		}
		if id, err := d.ByKey(t.Context(), hash); err != nil || id != second.FileID {
			t.Errorf("ByKey after a second %s of the first file: got %q, error %v, want %q", name, id, err, second.FileID)
		}
		if err := d.Delete(t.Context(), second); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOrphanedKeysAreForgotten covers a file that was removed manually.
func TestOrphanedKeysAreForgotten(t *testing.T) {
	d := open(t)
	hash := KeyHash("ann", "k")
	f := d.next(d.Reserve(t.Context(), keyed("f", "k")))
	if _, err := d.db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &d.table, Key: metaKey(f.FileID)}); err != nil {
		t.Fatal(err)
	}
	if err := d.Forget(t.Context(), hash, "other"); err != nil {
		t.Error(err)
	}
	if id, err := d.ByKey(t.Context(), hash); err != nil || id != f.FileID {
		t.Errorf("Forget of another file's key: got file %q, error %v, want %q", id, err, f.FileID)
	}
	for range 2 { // the second call does nothing
		if err := d.Forget(t.Context(), hash, f.FileID); err != nil {
			t.Error(err)
		}
	}
	if id, err := d.ByKey(t.Context(), hash); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("ByKey: got file %q, error %v, want ErrNotFound", id, err)
	}
}
