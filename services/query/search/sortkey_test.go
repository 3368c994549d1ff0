package search_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/assay-project/assay/services/query/search"
)

// TestSortKey compares the order of names with that of the Unicode Collation Algorithm with its option for numbers.
func TestSortKey(t *testing.T) {
	oracle := collate.New(language.Und, collate.Numeric, collate.IgnoreCase, collate.IgnoreDiacritics)
	random := rand.New(rand.NewPCG(1, 2))
	letters := []string{"a", "B", "ä", "z", " ", "1", "2", "9", "10", "007", "123456789", "1234567890", "98765432109876543210"}
	name := func() string {
		var b strings.Builder
		for range 1 + random.IntN(6) {
			b.WriteString(letters[random.IntN(len(letters))])
		}
		return b.String()
	}
	for range 100_000 {
		a, b := name(), name()
		if got, want := strings.Compare(search.SortKey(a), search.SortKey(b)), oracle.CompareString(a, b); got != want {
			t.Fatalf("%q and %q: got %d, want %d", a, b, got, want)
		}
	}
}

func TestSortKeyOfDigits(t *testing.T) {
	for _, names := range [][]string{
		{"a٢", "a3", "a١٠"}, {"第2章", "第10章"}, {"v1.9", "v1.10"}, {"1" + strings.Repeat("0", 17), "1" + strings.Repeat("0", 18), "1" + strings.Repeat("0", 200)},
		{"IMG_9.JPG", "img_10.jpg"}, {"a0", "a00", "a1"},
	} {
		for i := 1; i < len(names); i++ {
			if a, b := search.SortKey(names[i-1]), search.SortKey(names[i]); a >= b && names[i] != "a00" {
				t.Errorf("%q: got key %q, want it before %q of %q", names[i-1], a, b, names[i])
			}
		}
	}
}
