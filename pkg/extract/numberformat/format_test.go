package numberformat_test

import (
	"math"
	"testing"

	"github.com/assay-project/assay/pkg/extract/numberformat"
)

// TestNumbers: the values are what Excel displays.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		code   string
		number float64
		want   string
	}{
		{"", 0.1, "0.1"},
		{"General", 1234567, "1234567"},
		{"General", 1.0 / 3, "0.333333333"},
		{"General", 1e15, "1E+15"},
		{"General", 123456789012, "1.23457E+11"},
		{"General", 0.30000000000000004, "0.3"},
		{"General", 1.2345678901234567e20, "1.23457E+20"},
		{"General", -1e-9, "-0.000000001"},
		{"General", 1.23e-9, "1.23E-09"},
		{"0.00", 1.005, "1.01"},
		{"0.0#", 2.5, "2.5"},
		{"#,##0", 1234567.8, "1,234,568"},
		{"0%", 0.256, "26%"},
		{"#,##0.00%", 0.00035, "0.04%"},
		{`#,##0.00" EUR"`, 1234.5, "1,234.50 EUR"},
		{"[$€-407]#,##0", 5, "€5"},
		{"#,##0;(#,##0)", -1234, "(1,234)"},
		{"#,##0_);(#,##0)", 1234, "1,234 "},
		{`0;-0;"none"`, 0, "none"},
		{`[Red]0.0;[Blue]-0.0`, -2, "-2.0"},
		{"0", -0.2, "0"},
		{"00000", 42, "00042"},
		{"0.00E+00", 12345, "1.23E+04"},
		{"0.00E+00", -0.00012345, "-1.23E-04"},
		{"##0.0E+0", 12345, "12.3E+3"},
		{"0E-0", 99999, "1E5"},
		{`#,##0,"K"`, 1234567, "1,235K"},
		{`0.0,,"M"`, 1234567, "1.2M"},
		{"0,", -1234567, "-1235"},
		{"$#.00", -12.3, "-$12.30"},
		{`"hidden"`, 5, "hidden"},
		{";;;", 5, ""},
		{"# ?/?", 2.75, "2 3/4"},
		{"# ?/?", 0.5, " 1/2"},
		{"# ??/??", 3.14159, "3 14/99"},
		{"# ??/??", 0.25, "  1/4 "},
		{"# ?/8", 1.3, "1 2/8"},
		{"# ?/?", 0.99, "1    "},
		{"?/?", 2.5, "5/2"},
		{`General" pieces"`, 3, "3 pieces"},
		{"@", 12, "12"},
		{"yyyy-mm-dd", 46348, "2026-11-22"},
		{"yyyy-mm-dd", 1, "1900-01-01"},
		{"yyyy-mm-dd", 59, "1900-02-28"},
		{"yyyy-mm-dd", 60, "1900-02-29"},
		{"yyyy-mm-dd", 61, "1900-03-01"},
		{"ddd", 1, "Sun"},
		{"d mmm yy", 46348.5, "22 Nov 26"},
		{"mmmmm", 46348, "N"},
		{"h:mm AM/PM", 46348.75, "6:00 PM"},
		{"h:mm a/p", 0.75, "6:00 p"},
		{"hh:mm:ss", 0.5, "12:00:00"},
		{"h:mm:ss", 0.17, "4:04:48"},
		{"h:mm:ss", 0.999999, "0:00:00"},
		{"[h]:mm", 1.5, "36:00"},
		{"[hh]:mm:ss", 0.17, "04:04:48"},
		{"mm:ss", 1.0 / 24 / 60, "01:00"},
		{"mm:ss.0", 0.00087, "01:15.2"},
		{"dddd, mmmm d", 46348, "Sunday, November 22"},
		{"yyyy-mm-dd", -1, "-1"},
		{"yyyy-mm-dd", 1e9, "1000000000"},
		{"# ?/?", math.NaN(), "NaN"},
		{"?/?", math.Inf(-1), "-Inf"},
		{"?/?", 1e300, "1E+300"},
	} {
		if got := numberformat.Parse(c.code).Number(c.number, false); got != c.want {
			t.Errorf("%v in format %s = %q, want %q", c.number, c.code, got, c.want)
		}
	}
	if got := numberformat.Parse("yyyy-mm-dd").Number(0, true); got != "1904-01-01" {
		t.Errorf("got %s, want 1904-01-01", got)
	}
}

func TestTexts(t *testing.T) {
	for code, want := range map[string]string{
		"": "a", "@": "a", "0": "a", `"x"@"y"`: "xay", `0;-0;0;"text: "@`: "text: a", "0;-0;0;": "", `-@-@-`: "-a-a-",
	} {
		if got := numberformat.Parse(code).Text("a"); got != want {
			t.Errorf("a in format %s = %q, want %q", code, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, code := range []string{"# ??/??", "[h]:mm:ss.00", "0.0,,%;[<5]x;E+0", `"a`, `\`, "[", "_", "*", "0E+", "/0", "?/", "0/1", "#/10"} {
		f.Add(code, 12.5)
		f.Add(code, math.NaN())
	}
	f.Fuzz(func(_ *testing.T, code string, n float64) {
		format := numberformat.Parse(code)
		format.Number(n, false)
		format.Text("a")
	})
}
