package library

import (
	"errors"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"\u200eא.txt\u200f": "\u200eא.txt\u200f", // marks without an effect on other text
		"a.txt":             "a.txt", "cafe\u0301.pdf": "caf\u00e9.pdf", ".hidden": ".hidden", "CONSOLE": "CONSOLE", "com10.txt": "com10.txt",
		strings.Repeat("\u00e9", MaxName): strings.Repeat("\u00e9", MaxName),
	} {
		if got, err := CleanName(name); err != nil || got != want {
			t.Errorf("CleanName(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	for _, name := range []string{
		"", ".", "..", "a/b", `a\b`, "a:b", "a*", "a?", `"a"`, "<a", "a>", "a|b", "a\x00", "a\n", "a\x7f", "a.", "a ", "\xff",
		"a\u202egnp.exe", "\u202aa", "a\u2066b", "a\u2069", "a\u2028b", "a\u0085",
		"CON", "con.txt", "Aux.tar.gz", "nul", "LPT9", "com1.jpg", "CON .txt", strings.Repeat("x", MaxName+1),
	} {
		if got, err := CleanName(name); !errors.Is(err, ErrName) {
			t.Errorf("CleanName(%q) = %q, %v, want ErrName", name, got, err)
		}
	}
	if got, err := CleanDisplayName("a\u202egnp.exe"); !errors.Is(err, ErrName) {
		t.Errorf("CleanDisplayName of a reordered name = %q, %v, want ErrName", got, err)
	}
}

func TestIDs(t *testing.T) {
	first, err := NewID("ann", "key")
	if err != nil {
		t.Fatal(err)
	}
	again, err := NewID("ann", "key")
	if err != nil || again != first || !ValidID(first) || first[14] != '7' {
		t.Errorf("got ids %s and %s, error %v, want the same UUIDv7", first, again, err)
	}
	other, err := NewID("bob", "key")
	if err != nil || other == first {
		t.Errorf("another owner: got id %s, error %v, want an id other than %s", other, err, first)
	}
	if RootID("ann") == RootID("bob") || RootID("ann")[14] != '5' || ValidID(strings.ToUpper(first)) {
		t.Errorf("got roots %s and %s, want different UUIDv5, and upper case rejected", RootID("ann"), RootID("bob"))
	}
}
