package crystal

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// orders contains the number of operations of the standard setting of each of the 230 space groups, including those of the
// centering: for example 2 for P 2 and 192 for F m -3 m (gemmi 0.5.7, International Tables A).
var orders = strings.Fields(`
1 2 2 2 4 2 2 4 4 4 4 8 4 4 8 4 4 4 4 8 8 16 8 8 4 4 4 4 4 4 4 4 4 4 8 8 8 8 8 8 8 16 16 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8
8 16 16 16 16 16 16 32 32 16 16 16 16 4 4 4 4 8 8 4 8 8 8 8 8 16 16 8 8 8 8 8 8 8 8 16 16 8 8 8 8 8 8 8 8 16 16 16 16 8 8 8 8
8 8 8 8 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 32 32 32 32 3 3 3 9 6 18 6 6 6 6 6 6 18 6 6 6 6 18 18 12
12 12 12 36 36 6 6 6 6 6 6 6 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 12 24 24 24 24 12 48 24 12 24 24 24 96 96 48 24 48
24 24 96 96 48 24 24 48 24 96 48 24 96 48 48 48 48 48 192 192 192 192 96 96
`)

func TestGroups(t *testing.T) {
	for i, want := range orders {
		for _, s := range standard(numbered(i + 1)) {
			if strings.HasSuffix(s.name, ":R") {
				continue
			}
			if got := len(hallOperations(s.hall)); fmt.Sprint(got) != want {
				t.Errorf("%s: got %d operations, want %s", s.name, got, want)
			}
		}
	}
	if len(orders) != 230 || len(numbered(0)) > 0 || len(numbered(231)) > 0 {
		t.Errorf("got %d groups, want 230", len(orders))
	}
}

// TestSettings compares the operations of all settings with those that gemmi 0.5.7 derives from the Hall symbols, by a hash
// of the sorted operations: nine digits of the matrix and three translations, in 24ths of an edge, for each.
func TestSettings(t *testing.T) {
	const want = "de8fe32e46dc815f8c4df958acdbeaf40c524c8710a9dea5390ee41d33d7fbd0"
	hash := sha256.New()
	for _, s := range settings() {
		var all []string
		for _, m := range hallOperations(s.hall) {
			all = append(all, fmt.Sprint(m.matrix, m.shift))
		}
		slices.Sort(all)
		fmt.Fprintln(hash, s.number, s.name, s.hall, all)
	}
	if got := fmt.Sprintf("%x", hash.Sum(nil)); got != want || len(settings()) != 579 {
		t.Errorf("got %d settings with hash %s, want 579 with %s", len(settings()), got, want)
	}
}

// TestChangeOfBasis checks settings that Hall symbols reach by a change of basis from another one (International Tables B,
// section 1.4.2.3).
func TestChangeOfBasis(t *testing.T) {
	for symbol, same := range map[string]string{
		"P 2 (z,x,y)":             "P 2x",
		"-P 2ybc (x-z,y,z)":       "-P 2yn",
		"P 4n 2 3 -1n (-3 -3 -3)": "-P 4bc 2bc 3",
		"P_2yb":                   "p 2yb",
	} {
		got, want := hallOperations(symbol), hallOperations(same)
		sorted := func(all []motion) (text []string) {
			for _, m := range all {
				text = append(text, fmt.Sprint(m))
			}
			slices.Sort(text)
			return text
		}
		if len(got) == 0 || !slices.Equal(sorted(got), sorted(want)) {
			t.Errorf("%s: got %v, want %v", symbol, sorted(got), sorted(want))
		}
	}
	for _, symbol := range []string{"", "P", "-", "Q 2", "P 5", "P 2 2 2 2 2", "P 3'", "P 2q", "P 4 (1 2)", "P 4 (x,y)", "P 4 (x,y,z+z)", "P 4 (x,y,x)", "P 21 31 (0 0 1)"} {
		if got := hallOperations(symbol); got != nil {
			t.Errorf("%q: got %d operations, want none", symbol, len(got))
		}
	}
}

// TestNamedSettings checks names as databases write them; the Hall symbols are those of International Tables B.
func TestNamedSettings(t *testing.T) {
	for name, hall := range map[string]string{
		"F m -3 m": "-F 4 2 3", "Fm-3m": "-F 4 2 3", "f m 3 m": "-F 4 2 3", "F_m_-3_m": "-F 4 2 3",
		"P 21/c": "-P 2ybc", "P 1 21/c 1": "-P 2ybc", "P21/n": "-P 2yn", "P 1 1 21/b": "-P 2bc", "C2/c": "-C 2yc",
		"F d -3 m": "-F 4vw 2vw 3", "F d -3 m :1": "F 4d 2 3 -1d", "F d -3 m S": "F 4d 2 3 -1d", "F d -3 m Z": "-F 4vw 2vw 3",
		"F d 3 m (origin choice 1)": "F 4d 2 3 -1d", "R -3 m": `-R 3 2"`, "R -3 m :R": "-P 3* 2", "R -3 m R": "-P 3* 2", "H -3 m": `-R 3 2"`,
		"C m c e": "-C 2ac 2", "P 21 21 21": "P 2ac 2ab", "P 43 21 2": "P 4nw 2abw",
	} {
		if found := named(name); len(found) == 0 || found[0].hall != hall {
			t.Errorf("%s: got %+v, want %s", name, found, hall)
		}
	}
	for _, name := range []string{"", "P 7", "x", "P 21/q", ":1"} {
		if found := named(name); len(found) > 0 {
			t.Errorf("%q: got %+v, want none", name, found)
		}
	}
}
