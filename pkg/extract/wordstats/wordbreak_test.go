package wordstats

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"

	"github.com/assay-project/assay/pkg/extract/wordstats/simd"
)

// segmentsOf splits a text into its segments.
func segmentsOf(t testing.TB, text string) []string {
	t.Helper()
	var b simd.Buffer
	var found segments
	copy(b[:simd.BufferSize], text)
	segments := []string{}
	for at := 0; at < len(text); {
		n, last := found.find(&b, at, len(text), true)
		for _, end := range found.ends[:n] {
			segments = append(segments, text[at:end])
			at = int(end)
		}
		if n == 0 || at != last {
			t.Fatalf("got %d segments up to byte %d of %q, want at least 1 up to byte %d", n, at, text, last)
		}
	}
	return segments
}

func TestUnicodeWordBreakCases(t *testing.T) {
	data, err := os.ReadFile("testdata/WordBreakTest-17.0.0.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		want := []string{}
		for field := range strings.FieldsSeq(line) {
			switch field {
			case "÷":
				want = append(want, "")
			case "×":
			default:
				r, err := strconv.ParseUint(field, 16, 32)
				if err != nil {
					t.Fatal(err)
				}
				want[len(want)-1] += string(rune(r))
			}
		}
		want = want[:len(want)-1]
		if got := segmentsOf(t, strings.Join(want, "")); !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", line, got, want)
		}
		cases++
	}
	if cases != 1944 { // the number of cases in Unicode's test file
		t.Errorf("got %d cases, want 1944", cases)
	}
}

// TestEveryTripleOfClasses compares the segments of every triple of representatives, followed by
// another code point, with those of the library.
func TestEveryTripleOfClasses(t *testing.T) {
	for _, a := range representatives {
		for _, b := range representatives {
			for _, c := range representatives {
				for _, d := range []rune{'a', '1', 'ב', '\u0301', '😀', '.', '🇦', '_'} {
					text := string([]rune{a, b, c, d})
					if got, want := segmentsOf(t, text), slices.Collect(librarySegments(text)); !slices.Equal(got, want) {
						t.Fatalf("%q: got %q, want %q", text, got, want)
					}
				}
			}
		}
	}
}

func librarySegments(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for s := words.FromString(text); s.Next() && yield(s.Value()); {
		}
	}
}

func TestBeginsNoMark(t *testing.T) {
	for r := range rune(0x110000) {
		if !utf8.ValidRune(r) {
			continue
		}
		class := property(r) & classMask
		if first := string(r)[0]; beginsNoMark(first) && (class == classExtend || class == classZWJ || r == ' ') {
			t.Fatalf("beginsNoMark(%#x) = true, want false: U+%04X is a mark or a space", first, r)
		}
	}
}
