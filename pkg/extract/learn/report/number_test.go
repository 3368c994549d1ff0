package report

import (
	"math"
	"testing"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		v                    float64
		plain, rich, percent string
	}{
		{0, "0", "0", "0 %"},
		{0.5, "0.500", "0.500", "50 %"},
		{1, "1.00", "1.00", "100 %"},
		{0.0004, "0.000400", "0.000400", "< 0.1 %"},
		{0.0123456, "0.0123", "0.0123", "1.2 %"},
		{0.9876, "0.988", "0.988", "98.8 %"},
		{9.9951, "10.0", "10.0", "100 %"},
		{-12.345, "-12.3", "−12.3", "0 %"},
		{999.4, "999", "999", "100 %"},
		{999.6, "1,000", "1,000", "100 %"},
		{-123_456, "-123,000", "−123,000", "0 %"},
		{999_499, "999,000", "999,000", "100 %"},
		{999_501, "1.00e+06", "1.00 × 10⁶", "100 %"},
		{0.0000123, "1.23e-05", "1.23 × 10⁻⁵", "< 0.1 %"},
		{-math.MaxFloat64, "-1.80e+308", "−1.80 × 10³⁰⁸", "0 %"},
	} {
		if plain(c.v) != c.plain || rich(c.v) != c.rich || percent(c.v) != c.percent {
			t.Errorf("%v is %s, %s, %s", c.v, plain(c.v), rich(c.v), percent(c.v))
		}
	}
}

func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		"logP":                 "logP",
		"two\nlines":           "two lines",
		"a\x00b\u202ec":        "a\ufffdb\ufffdc",
		"\xff":                 "\ufffd",
		"نمی\u200cخواهم":       "نمی\u200cخواهم",
		"a\u2066b\u200e\ufeff": "a\ufffdb\ufffd\ufffd",
	} {
		if got := short(in); got != want {
			t.Errorf("%q is shown as %q, not %q", in, got, want)
		}
	}
}
