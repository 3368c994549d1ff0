package attr

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func mustNumber(s string) Number {
	n, err := ParseNumber(s)
	if err != nil {
		panic(err)
	}
	return n
}

func itoa(i int) string { return strconv.Itoa(i) }

func rat(t interface{ Fatalf(string, ...any) }, s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("big.Rat does not accept %q", s)
	}
	return r
}

func TestNumberIsReturnedInPlainCanonicalForm(t *testing.T) {
	nines := strings.Repeat("9", 38)
	for given, want := range map[string]string{
		"0": "0", "-0": "0", "0.000": "0", "0E+500": "0",
		"00042": "42", "+7": "7", "1.0": "1", "3.1400": "3.14", "1.5E2": "150",
		".5": "0.5", "5.": "5", "-0.050": "-0.05", "1e-3": "0.001", "12.5E-1": "1.25",
		"1E38":      "1" + strings.Repeat("0", 38),
		nines:       nines,
		nines + "0": nines + "0",
		"9.9999999999999999999999999999999999999E+125": nines + strings.Repeat("0", 88),
		"-1E-130":                                  "-0." + strings.Repeat("0", 129) + "1",
		"1" + strings.Repeat("0", 100) + "E-100":   "1",
		"0." + strings.Repeat("0", 200) + "1E201":  "1",
		"18446744073709551616":                     "18446744073709551616",
		"100000000000000000000000000000000000001":  "", // 39 digits
		"1.00000000000000000000000000000000000010": "1.0000000000000000000000000000000000001",
		"9999999999999999999.0000000000000000001":  "9999999999999999999.0000000000000000001",
	} {
		n, err := ParseNumber(given)
		if want == "" {
			if err == nil {
				t.Errorf("%s: got %s, want an error", given, n)
			}
			continue
		}
		if err != nil || n.String() != want {
			t.Errorf("%s: got %s, %v; want %s", given, n, err, want)
		}
	}
}

func TestNumberOutsideLimitsIsRejected(t *testing.T) {
	for given, want := range map[string]string{
		"1E126":                        msgOverflow,
		"-1E126":                       msgOverflow,
		"1E99999999999999999999":       msgOverflow,
		"1E-131":                       msgUnderflow,
		"1E-99999999999999999999":      msgUnderflow,
		strings.Repeat("1", 39):        msgPrecision,
		"":                             msgNotNumeric,
		"abc":                          msgNotNumeric + ": abc",
		"1E":                           msgNotNumeric + ": 1E",
		"1E+":                          msgNotNumeric + ": 1E+",
		"1.2.3":                        msgNotNumeric + ": 1.2.3",
		".":                            msgNotNumeric + ": .",
		"-":                            msgNotNumeric + ": -",
		" 1":                           msgNotNumeric + ":  1",
		"0x10":                         msgNotNumeric + ": 0x10",
		"NaN":                          msgNotNumeric + ": NaN",
		"1_000":                        msgNotNumeric + ": 1_000",
		"1E5x":                         msgNotNumeric + ": 1E5x",
		"1" + strings.Repeat("0", 126): msgOverflow,
	} {
		_, err := ParseNumber(given)
		invalid, ok := errors.AsType[*ValidationError](err)
		if !ok || invalid.Message != want {
			t.Errorf("%q: got %v, want %s", given, err, want)
		}
	}
}

func TestNumberKeepsItsExactValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := genNumberText.Draw(t, "number")
		n := mustNumber(text)
		if rat(t, n.String()).Cmp(rat(t, text)) != 0 {
			t.Fatalf("%s: got %s, want the same number", text, n)
		}
		if again := mustNumber(n.String()); again != n {
			t.Fatalf("got %s after formatting and parsing, want %s", again, n)
		}
	})
}

func TestNumberArithmeticAndOrderAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genNumber.Draw(t, "a"), genNumber.Draw(t, "b")
		ra, rb := rat(t, a.String()), rat(t, b.String())
		if got, want := a.Cmp(b), ra.Cmp(rb); got != want {
			t.Fatalf("Cmp(%s, %s) = %d, want %d", a, b, got, want)
		}
		check := func(got Number, err error, exact *big.Rat) {
			want, wantErr := ParseNumber(exactDecimal(exact))
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("%s, %s: got error %v, want %v", a, b, err, wantErr)
			}
			if err == nil && got != want {
				t.Fatalf("%s, %s: got %s, want %s", a, b, got, want)
			}
		}
		sum, err := a.Add(b)
		check(sum, err, new(big.Rat).Add(ra, rb))
		difference, err := a.Sub(b)
		check(difference, err, new(big.Rat).Sub(ra, rb))
	})
}

// exactDecimal formats a sum of two Numbers, which has at most 168 decimal places.
func exactDecimal(r *big.Rat) string { return r.FloatString(200) }

func TestSumBeyondLimitsIsRejected(t *testing.T) {
	largest := mustNumber("9.9999999999999999999999999999999999999E+125")
	for _, tc := range []struct{ a, b Number }{
		{largest, largest},
		{largest, NumberOf(1)},
		{mustNumber("1E-130"), NumberOf(1)},
		{mustNumber("1E38"), mustNumber("0.1")},
		{mustNumber("4E4"), mustNumber("1E-34")},        // 4·10^38 in units of the last digit of b
		{mustNumber("1.5E-130"), mustNumber("-1E-130")}, // 5E-131
	} {
		if sum, err := tc.a.Add(tc.b); err == nil {
			t.Errorf("%s + %s: got %s, want an error", tc.a, tc.b, sum)
		}
	}
	if sum, err := mustNumber("1E38").Sub(NumberOf(1)); err != nil || sum.String() != strings.Repeat("9", 38) {
		t.Errorf("1E38-1: got %s, error %v, want 38 nines", sum, err)
	}
}

func TestInt64(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "100": 100, "-9223372036854775807": -9223372036854775807, "9223372036854775807": 9223372036854775807,
	} {
		if got, ok := mustNumber(text).Int64(); !ok || got != want {
			t.Errorf("%s: got %d, ok = %t, want %d, ok = true", text, got, ok, want)
		}
	}
	for _, text := range []string{"1.5", "9223372036854775808", "1E19", "1E-1", "1E100"} {
		if got, ok := mustNumber(text).Int64(); ok {
			t.Errorf("%s: got %d, want ok = false", text, got)
		}
	}
}

func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"0", "-1.50E+3", ".5", "1E-130", "9.99E125", "1e", "--1", "12345678901234567890123456789012345678"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseNumber(text)
		if err != nil {
			if _, ok := errors.AsType[*ValidationError](err); !ok {
				t.Fatalf("%q: got error %v, want a ValidationError", text, err)
			}
			return
		}
		if again := mustNumber(n.String()); again != n {
			t.Fatalf("%q: got %s after formatting and parsing, want %s", text, again, n)
		}
		v, rest, err := DecodeKey(AppendKey(nil, Num(n)))
		if err != nil || len(rest) != 0 || v.Num != n {
			t.Fatalf("%q: got %s, rest %x, error %v from its key encoding, want %s and no rest", text, v.Num, rest, err, n)
		}
	})
}
