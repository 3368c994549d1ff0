package textfile

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

func TestFileIDsSortByTime(t *testing.T) {
	before := ""
	for range 1000 {
		id, err := NewFileID("ann", "")
		if err != nil {
			t.Fatal(err)
		}
		if id <= before {
			t.Fatalf("%s came after %s", id, before)
		}
		if parsed, err := uuid.Parse(id); err != nil || parsed.Version() != 7 || parsed.Variant() != uuid.RFC4122 {
			t.Fatalf("%s is no UUIDv7: %v", id, err)
		}
		before = id
	}
}

func TestFileIDOfAnIdempotencyKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		owner, key := rapid.String().Draw(t, "owner"), rapid.StringN(1, 40, -1).Draw(t, "key")
		id := derived(t, owner, key)
		if again := derived(t, owner, key); again != id {
			t.Fatalf("a repeat got %s instead of %s", again, id)
		}
		if parsed, err := uuid.Parse(id); err != nil || parsed.Version() != 7 || parsed.Variant() != uuid.RFC4122 {
			t.Fatalf("%s is no UUIDv7: %v", id, err)
		}
		if derived(t, owner+"x", key) == id || derived(t, owner, key+"x") == id {
			t.Fatal("another owner or key got the same id")
		}
	})
}

func derived(t *rapid.T, owner, key string) string {
	id, err := NewFileID(owner, key)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestFileIDKeepsTheTimeOfAUUIDv7Key(t *testing.T) {
	const key = "0199b1c2-7d1e-7c3a-9d55-0f2b8c6a4e11"
	id, err := NewFileID("ann", key)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(id, "0199b1c2-7d1e-7") || id == key {
		t.Errorf("got %s", id)
	}
	other, err := NewFileID("bob", key)
	if err != nil || other == id {
		t.Errorf("another owner got %s, %v", other, err)
	}
	// A version 4 key has no time to keep.
	four, err := NewFileID("ann", "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b")
	if err != nil || strings.HasPrefix(four, "1b4e28ba") {
		t.Errorf("got %s, %v", four, err)
	}
}

func TestObjectKeyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Reservation{
			FileName: rapid.String().Draw(t, "name"), ContentType: rapid.String().Draw(t, "type"),
			SHA256: rapid.String().Draw(t, "sha256"), Size: rapid.Int64Min(-2).Draw(t, "size"),
		}
		id := uuid.NewString()
		key := r.ObjectKey(id)
		if strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789/-") != "" || len(key) > 200 {
			t.Fatalf("the key %q is not plain", key)
		}
		gotID, size, err := ParseObjectKey(key)
		if err != nil || gotID != id || size != max(r.Size, -1) {
			t.Fatalf("%s is read as %s of %d, %v", key, gotID, size, err)
		}
		if again := r.ObjectKey(id); again != key {
			t.Fatalf("a repeat got %s", again)
		}
		for _, other := range []Reservation{
			{r.FileName + "x", r.ContentType, r.SHA256, r.Size}, {r.FileName, r.ContentType + "x", r.SHA256, r.Size},
			{r.FileName, r.ContentType, r.SHA256 + "x", r.Size}, {r.FileName, r.ContentType, r.SHA256, r.Size/2 + 1<<40},
		} {
			if other != r && other.ObjectKey(id) == key {
				t.Fatalf("%+v has the key of %+v", other, r)
			}
		}
	})
}

func TestForeignObjectKeysAreRefused(t *testing.T) {
	const id = "0199b1c2-7d1e-7c3a-9d55-0f2b8c6a4e11"
	for _, key := range []string{
		"", "files", "files/", "files/" + id, "files/" + id + "/", "files/" + id + "/12", "other/" + id + "/12-ab",
		"files/not-a-uuid/12-ab", "files/" + id + "/x-ab", "files/" + id + "/-1-ab", "files/" + id + "/-ab",
		"files/" + id + "/99999999999999999999-ab", "/files/" + id + "/12-ab",
		"files/urn:uuid:" + id + "/12-ab", "files/{" + id + "}/12-ab", "files/" + strings.ReplaceAll(id, "-", "") + "/12-ab", "files/" + strings.ToUpper(id) + "/12-ab",
	} {
		if got, size, err := ParseObjectKey(key); !errors.Is(err, ErrForeignKey) {
			t.Errorf("%q is read as %s of %d, %v", key, got, size, err)
		}
	}
}
