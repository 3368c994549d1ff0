package decimal_test

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assay-project/assay/pkg/extract/decimal"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0.00e9": "0", "1.0": "1", "+5": "5", ".5": "0.5", "5.": "5", "007": "7", "-1.50E+3": "-1500",
		"1234567890123456789": "1234567890123456789", "10000000000000000000000000000000000001": "10000000000000000000000000000000000001",
		"1e38": "1e+38", "1e37": "1" + strings.Repeat("0", 37), "0.000001": "0.000001", "0.0000001": "1e-7", "-12.5e-180": "-1.25e-179",
		"9.99e125": "9.99e+125", "1e99999999999999999999": "1e+1099511627776",
	} {
		if n, ok := decimal.Parse(text); !ok || n.String() != want {
			t.Errorf("Parse(%q) = %s, %t, want %s", text, n, ok, want)
		}
	}
	for _, text := range []string{"", "-", ".", "e5", "1e", "1e+", "1e-+5", "1.2.3", "1,5", "0x1", "NaN", "Inf", "1_000", " 1"} {
		if n, ok := decimal.Parse(text); ok {
			t.Errorf("Parse(%q) = %s, want no number", text, n)
		}
	}
}

func TestFloat64(t *testing.T) {
	for text, exact := range map[string]bool{
		"0.1": true, "1e-180": true, "9007199254740992": true, "9007199254740993": false, "5e-324": true,
		"1234567890123456789": false, "1e309": false, "1e-400": false, "0.10000000000000000001": false, "1.7976931348623157e308": true,
	} {
		n, _ := decimal.Parse(text)
		if x, got := n.Float64(); got != exact {
			t.Errorf("%s: got %g, exact = %t, want %t", text, x, got, exact)
		}
		if got, want := n.Representable(), text != "1e309" && text != "1e-400"; got != want {
			t.Errorf("%s: got representable = %t, want %t", text, got, want)
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if n, ok := decimal.Of(x); ok {
			t.Errorf("Of(%g) = %s, want no number", x, n)
		}
	}
}

// TestComparison compares with math/big, and checks that the text of a number is a JSON number that is equal to it.
func TestComparison(t *testing.T) {
	text := rapid.StringMatching(`-?[0-9]{1,45}(\.[0-9]{1,12})?(e[+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		a := text.Draw(t, "a")
		b := rapid.OneOf(text, rapid.Just(a+"0"), rapid.Just("-"+a)).Draw(t, "b")
		x, ok := new(big.Rat).SetString(a)
		y, okay := new(big.Rat).SetString(b)
		n, isNumber := decimal.Parse(a)
		m, isNumberToo := decimal.Parse(b)
		if ok != isNumber || okay != isNumberToo {
			t.Fatalf("Parse(%q), Parse(%q): got ok %t and %t, want %t and %t", a, b, isNumber, isNumberToo, ok, okay)
		}
		if !ok || !okay {
			return
		}
		if got, want := n.Compare(m), x.Cmp(y); got != want || (n == m) != (want == 0) {
			t.Fatalf("%s compared with %s: got %d, equal = %t, want %d", a, b, got, n == m, want)
		}
		if z, _ := new(big.Rat).SetString(n.String()); !json.Valid([]byte(n.String())) || z.Cmp(x) != 0 {
			t.Fatalf("the text of %s is %s", a, n)
		}
	})
}
