package textfile

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/assay-project/assay/pkg/blob"
)

func TestFileIDsSortByTime(t *testing.T) {
	before := ""
	for range 1000 {
		id, err := NewFileID()
		if err != nil {
			t.Fatal(err)
		}
		if id <= before {
			t.Fatalf("got id %s, want one after %s", id, before)
		}
		if parsed, err := uuid.Parse(id); err != nil || parsed.Version() != 7 || parsed.Variant() != uuid.RFC4122 {
			t.Fatalf("got id %s, error %v, want a UUIDv7", id, err)
		}
		before = id
	}
}

func TestKeyHashes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		owner, key := rapid.String().Draw(t, "owner"), rapid.StringN(1, 40, -1).Draw(t, "key")
		hash := KeyHash(owner, key)
		if len(hash) != 64 || hash != KeyHash(owner, key) || KeyHash(owner+"x", key) == hash || KeyHash(owner, key+"x") == hash {
			t.Fatalf("KeyHash(%q, %q) = %s, want 64 digits that depend on both", owner, key, hash)
		}
	})
}

func TestObjectKeyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Reservation{
			FileName: rapid.String().Draw(t, "name"), ContentType: rapid.String().Draw(t, "type"),
			SHA256: rapid.String().Draw(t, "sha256"), Size: rapid.Int64Min(-2).Draw(t, "size"),
		}
		if rapid.Bool().Draw(t, "keyed") {
			r.Key = KeyHash("ann", "key")
		}
		id := uuid.NewString()
		key := r.ObjectKey(id)
		if strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789/-") != "" || len(key) > 200 {
			t.Fatalf("got key %q, want at most 200 characters that need no encoding", key)
		}
		gotID, size, err := ParseObjectKey(key)
		if err != nil || gotID != id || size != max(r.Size, -1) {
			t.Fatalf("ParseObjectKey(%q) = %s, %d, %v, want %s, %d", key, gotID, size, err, id, max(r.Size, -1))
		}
		if got := keyHash(key); got != r.Key {
			t.Fatalf("keyHash(%q) = %q, want %q", key, got, r.Key)
		}
		if again := r.ObjectKey(id); again != key {
			t.Fatalf("a second call: got key %s, want %s", again, key)
		}
		for _, other := range []Reservation{
			{FileName: r.FileName + "x", ContentType: r.ContentType, SHA256: r.SHA256, Size: r.Size, Key: r.Key},
			{FileName: r.FileName, ContentType: r.ContentType + "x", SHA256: r.SHA256, Size: r.Size, Key: r.Key},
			{FileName: r.FileName, ContentType: r.ContentType, SHA256: r.SHA256 + "x", Size: r.Size, Key: r.Key},
			{FileName: r.FileName, ContentType: r.ContentType, SHA256: r.SHA256, Size: r.Size/2 + 1<<40, Key: r.Key},
			{FileName: r.FileName, ContentType: r.ContentType, SHA256: r.SHA256, Size: r.Size, Key: KeyHash("ann", "other")},
			{FileName: r.FileName, ContentType: r.ContentType, SHA256: r.SHA256, Size: r.Size, Key: r.Key, Source: "textfile/1"},
		} {
			if other != r && other.ObjectKey(id) == key {
				t.Fatalf("%+v: got key %s, want one other than that of %+v", other, key, r)
			}
		}
	})
}

func TestForeignObjectKeysAreRejected(t *testing.T) {
	const id = "0199b1c2-7d1e-7c3a-9d55-0f2b8c6a4e11"
	keyOf := func(name string) string { return blob.Key(ObjectPrefix, name) }
	if got, size, err := ParseObjectKey(keyOf(id + "/12-ab")); err != nil || got != id || size != 12 {
		t.Fatalf("a valid key: got %s of %d bytes, error %v, want %s of 12", got, size, err, id)
	}
	for _, key := range []string{
		"", "files", "files/", "files/" + id, "files/" + id + "/12-ab", "files/00/" + id + "/12-ab", "/" + keyOf(id+"/12-ab"), blob.Key("other/", id+"/12-ab"),
		keyOf(id), keyOf(id + "/"), keyOf(id + "/12"), keyOf(id + "/x-ab"), keyOf(id + "/-1-ab"), keyOf(id + "/-ab"), keyOf(id + "/99999999999999999999-ab"),
		keyOf("not-a-uuid/12-ab"), keyOf("urn:uuid:" + id + "/12-ab"), keyOf("{" + id + "}/12-ab"),
		keyOf(strings.ReplaceAll(id, "-", "") + "/12-ab"), keyOf(strings.ToUpper(id) + "/12-ab"),
	} {
		if got, size, err := ParseObjectKey(key); !errors.Is(err, ErrForeignKey) {
			t.Errorf("ParseObjectKey(%q) = %s, %d, %v, want ErrForeignKey", key, got, size, err)
		}
	}
}
