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
		"\u200b", "\u3000", "\u2060\ufeff",
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

func TestPlainNames(t *testing.T) {
	long := strings.Repeat("x", 300)
	for name, want := range map[string]string{
		"a.txt": "a.txt", "cafe\u0301.pdf": "caf\u00e9.pdf", ".hidden": ".hidden",
		"report: final?.txt": "report_ final_.txt", `"quoted"*.txt`: "_quoted__.txt", `a\b/c|d<e>`: "a_b_c_d_e_",
		"etc...": "etc", "a .": "a", "CON": "CON_", "aux.tar.gz": "aux_.tar.gz", "com1 .txt": "com1_.txt", "nul.": "nul_",
		"a\u202etxt.exe": "a_txt.exe", "a\nb": "a_b", "a\xffb": "a_b", "\u200b": "_", "": "_", "..": "_", "   ": "_",
		long + ".txt": long[:MaxName-5] + ".txt", long: long[:MaxName-1], "con" + strings.Repeat(" ", 300) + "x": "con_",
	} {
		got := PlainName(name)
		if got != want {
			t.Errorf("PlainName(%q) = %q, want %q", name, got, want)
		}
		if clean, err := CleanName(got); err != nil || clean != got {
			t.Errorf("CleanName(PlainName(%q)) = %q, %v, want %q unchanged", name, clean, err, got)
		}
	}
}

func FuzzPlainName(f *testing.F) {
	for _, name := range []string{"a:b", "con.", "\u200b. .", "\u0344\u202e", "nul" + strings.Repeat(".", 260)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		plain := PlainName(name)
		if got, err := CleanName(plain); err != nil || got != plain {
			t.Errorf("CleanName(PlainName(%q)) = %q, %v, want %q", name, got, err, plain)
		}
	})
}

func TestUniqueNames(t *testing.T) {
	used := UniqueNames{}
	for _, step := range []struct{ name, want string }{
		{"a.pdf", "a.pdf"}, {"a.pdf", "a (2).pdf"}, {"A.PDF", "A (3).PDF"}, {"b", "b"}, {"b", "b (2)"}, {"a (2).pdf", "a (2) (2).pdf"},
	} {
		if got := used.Add(step.name); got != step.want {
			t.Errorf("Add(%q) = %q, want %q", step.name, got, step.want)
		}
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
