package office

import "testing"

func TestNumberFormats(t *testing.T) {
	for _, c := range []struct {
		code   string
		number float64
		want   string
	}{
		{"", 0.1, "0.1"},
		{"General", 1234567, "1234567"},
		{"General", 1.0 / 3, "0.333333333"},
		{"General", 1e15, "1E+15"},
		{"0.00", 1.005, "1.00"},
		{"0.0#", 2.5, "2.5"},
		{"#,##0", 1234567.8, "1,234,568"},
		{"0%", 0.256, "26%"},
		{`#,##0.00" EUR"`, 1234.5, "1,234.50 EUR"},
		{"[$€-407]#,##0", 5, "€5"},
		{"#,##0;(#,##0)", -1234, "(1,234)"},
		{`0;-0;"none"`, 0, "none"},
		{"00000", 42, "00042"},
		{"0.00E+00", 12345, "1.23E+04"},
		{"yyyy-mm-dd", 46348, "2026-11-22"},
		{"d mmm yy", 46348.5, "22 Nov 26"},
		{"h:mm AM/PM", 46348.75, "6:00 PM"},
		{"hh:mm:ss", 0.5, "12:00:00"},
		{"[h]:mm", 1.5, "36:00"},
		{"mm:ss", 1.0 / 24 / 60, "01:00"},
		{"dddd, mmmm d", 46348, "Sunday, November 22"},
	} {
		if got := parseFormat(c.code).show(c.number, false); got != c.want {
			t.Errorf("%v in format %s = %q, want %q", c.number, c.code, got, c.want)
		}
	}
	if got := parseFormat("yyyy-mm-dd").show(0, true); got != "1904-01-01" {
		t.Errorf("got %s, want 1904-01-01", got)
	}
}
