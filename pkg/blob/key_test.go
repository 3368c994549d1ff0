package blob

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestKeyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		key := Key("files/", name)
		if got, ok := CutKey("files/", key); !ok || got != name {
			t.Fatalf("CutKey(%q) = %q, %t, want %q, true", key, got, ok, name)
		}
		if got, ok := CutKey("feed/", key); ok {
			t.Fatalf("CutKey(%q) with another prefix: got %q, want none", key, got)
		}
	})
}

// TestKeys compares the shards of keys with digests computed by sha256sum.
func TestKeys(t *testing.T) {
	for name, want := range map[string]string{
		"abc":     "files/ba/abc", // the example of FIPS 180-4: ba7816bf…
		"abc/1":   "files/ba/abc/1",
		"abc/2/3": "files/ba/abc/2/3",
		"":        "files/e3/", // e3b0c442…
	} {
		if got := Key("files/", name); got != want {
			t.Errorf("Key(%q): got %s, want %s", name, got, want)
		}
	}
	for _, key := range []string{"", "files/", "files/ba", "files/abc", "files/bb/abc", "files/BA/abc", "files/ba7/abc", "/files/ba/abc", "ba/abc"} {
		if name, ok := CutKey("files/", key); ok {
			t.Errorf("CutKey(%q): got %q, want none", key, name)
		}
	}
}

func TestShardsAreEven(t *testing.T) {
	const ids = 256 * 100
	count := map[string]int{}
	for i := range ids {
		digits, _, _ := strings.Cut(Key("", fmt.Sprint(i)), "/")
		count[digits]++
	}
	for digits, n := range count {
		if n < 50 || n > 150 { // five standard deviations from the mean of 100
			t.Errorf("%d of %d ids are in shard %s, want 50 to 150", n, ids, digits)
		}
	}
	if len(count) != 256 {
		t.Errorf("got %d shards, want 256", len(count))
	}
}
