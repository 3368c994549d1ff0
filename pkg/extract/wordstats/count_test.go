package wordstats

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

func TestWordDefinition(t *testing.T) {
	cases := []struct {
		text    string
		words   []string // in code point order; each occurs once
		average float64
	}{
		{"", []string{}, 0},
		{" \t\r\n", []string{}, 0},
		{"... --- !!! ___ 👍 ©", []string{}, 0},
		{"don't", []string{"don't"}, 5},
		{"don’t", []string{"don’t"}, 5},
		{"stop-me", []string{"me", "stop"}, 3},
		{"3.14", []string{"3.14"}, 4},
		{"1,234,567.89", []string{"1,234,567.89"}, 12},
		{"1,a 1.b a.1", []string{"1", "a", "b"}, 1}, // some occur more than once; the oracle checks their counts
		{"hello_world", []string{"hello_world"}, 11},
		{"_", []string{}, 0},
		{"_a_", []string{"_a_"}, 3},
		{"example.com:8080", []string{"8080", "example.com"}, 7.5},
		{"a'b:c.d", []string{"a'b:c.d"}, 7},
		{"a,b;c", []string{"a", "b", "c"}, 1},
		{"1'2;3 1:2", []string{"1", "1'2;3", "2"}, 2.33},
		{"'quoted' a'", []string{"a", "quoted"}, 3.5},
		{"Größe", []string{"größe"}, 5},
		{"ΣΑΣ ΟΔΟΣ", []string{"οδος", "σας"}, 3.5},
		{"İ", []string{"i\u0307"}, 2},
		{"日本", []string{"日", "本"}, 1},
		{"カタカナ", []string{"カタカナ"}, 4},
		{"한국어", []string{"한국어"}, 3},
		{"e\u0301", []string{"e\u0301"}, 2},
		{"a\u00ADb", []string{"a\u00ADb"}, 3},
		{"½ Ⅷ ²", []string{"²", "½", "ⅷ"}, 1},
		{"a\xFFb", []string{"a", "b"}, 1},
		{"a\uFFFDb", []string{"a", "b"}, 1},
		{"caf\xC3", []string{"caf"}, 3},
	}
	for _, c := range cases {
		got, err := Count(strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		mustEqual(t, c.text, got, oracle(c.text), "count")
		words := []string{}
		for _, w := range got.Top10Words {
			words = append(words, w.Word)
		}
		if c.text == "1,a 1.b a.1" { // "1" occurs three times and is first
			if !reflect.DeepEqual(words, []string{"1", "a", "b"}) {
				t.Errorf("%q: got %q, want 1, a and b", c.text, words)
			}
			continue
		}
		if !reflect.DeepEqual(words, c.words) || got.AvgWordLength != c.average {
			t.Errorf("%q: got %q, average %v; want %q, %v", c.text, words, got.AvgWordLength, c.words, c.average)
		}
	}
}

func TestTopTenByCountThenCodePoints(t *testing.T) {
	var text strings.Builder
	for i := range 30 {
		text.WriteString(strings.Repeat(string(rune('a'+i%26))+string(rune('a'+i/26))+" ", 1+i%4))
	}
	text.WriteString("ｚ 𐐨 z ")
	got, err := Count(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	mustEqual(t, text.String(), got, oracle(text.String()), "count")
	if want := (WordCount{"bb", 4}); got.Top10Words[0] != want { // before da, ha and others
		t.Errorf("first word: got %+v, want %+v", got.Top10Words[0], want)
	}
}

func TestAverageRoundsHalfUp(t *testing.T) {
	for _, c := range []struct {
		sum, count int64
		want       float64
	}{{0, 0, 0}, {7, 2, 3.5}, {10, 3, 3.33}, {20, 3, 6.67}, {201, 200, 1.01}, {1001, 1000, 1}, {1005, 1000, 1.01}, {1 << 60, 1 << 58, 4}} {
		if got := average(c.sum, c.count); got != c.want {
			t.Errorf("average(%d, %d) = %v; want %v", c.sum, c.count, got, c.want)
		}
	}
}

func TestVocabularyLimit(t *testing.T) {
	for text, limit := range map[string]int64{
		"a b c d a b c d a b c d": 4 * (1 + wordPlace),
		strings.Repeat("b", 20) + " " + strings.Repeat("e", 2000) + " c": 3*wordPlace + 20 + 2000 + 33 + 1, // the second with its digest
	} {
		if _, err := (Limits{Vocabulary: limit}).Count(strings.NewReader(text)); err != nil {
			t.Errorf("at the limit: got error %v, want none", err)
		}
		_, err := Limits{Vocabulary: limit - 1}.Count(strings.NewReader(text))
		if passed, ok := errors.AsType[*VocabularyError](err); !ok || passed.Limit != limit-1 || !strings.Contains(err.Error(), fmt.Sprint(limit-1)) {
			t.Errorf("above the limit: got error %v, want a VocabularyError with the limit %d", err, limit-1)
		}
	}
}

func TestReaderErrorIsReturned(t *testing.T) {
	for _, broken := range []error{errors.New("connection lost"), io.ErrUnexpectedEOF} {
		for _, r := range []int{0, 10, 200_000} {
			source := iotest.DataErrReader(&failing{left: r, err: broken})
			if _, err := Count(source); !errors.Is(err, broken) {
				t.Errorf("after %d bytes: got error %v, want %v", r, err, broken)
			}
		}
	}
}

// failing returns the given number of letters a, then an error.
type failing struct {
	left int
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, f.err
	}
	n := min(len(p), f.left)
	for i := range n {
		p[i] = 'a'
	}
	f.left -= n
	return n, nil
}
