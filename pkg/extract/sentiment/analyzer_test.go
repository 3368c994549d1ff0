package sentiment_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/assay-project/assay/pkg/extract/sentiment"
)

// TestScoresAreIndependent checks that the score of a text does not depend on texts, even long
// ones, that are scored before it or concurrently.
func TestScoresAreIndependent(t *testing.T) {
	a := sentiment.New()
	texts := []string{
		"", " \t\n", "GREAT", "great but awful", "😁", "don't be sad!!!???",
		strings.Repeat("This is a VERY good day, but not for you! ", 5000),
		strings.Repeat("x", 1<<20), strings.Repeat("?", 1<<17),
	}
	want := make([]sentiment.Polarity, len(texts))
	for i, text := range texts {
		want[i] = sentiment.New().Score(text)
	}
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 40 {
				i = (i + worker) % len(texts)
				if got := a.Score(texts[i]); got != want[i] {
					t.Errorf("Score(%.20q) = %+v, want %+v, the score from a new analyzer", texts[i], got, want[i])
				}
			}
		})
	}
	group.Wait()
}

func TestTextsWithoutWords(t *testing.T) {
	a := sentiment.New()
	for _, text := range []string{"", " ", "\t\r\n\v\f\x1c\x1d\x1e\x1f", "\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"} {
		if got := a.Score(text); got != (sentiment.Polarity{}) {
			t.Errorf("Score(%q) = %+v, want zeros", text, got)
		}
	}
	for _, text := range []string{"the", "\x00", "\u200b", "\xff", "\xf0\x9f\x98", "漢字", "!?"} {
		if got := a.Score(text); got != (sentiment.Polarity{Neutral: 1}) {
			t.Errorf("Score(%q) = %+v, want neutral", text, got)
		}
	}
}

// TestTypographicQuotes checks that typographic quotation marks and apostrophes score like their ASCII forms.
func TestTypographicQuotes(t *testing.T) {
	a := sentiment.New()
	for text, plain := range map[string]string{
		"It isn\u2019t good, and doesn\u02bct help.":        "It isn't good, and doesn't help.",
		"\u201cGreat\u201d, she said. \u2018Awful\u2019.":   "\"Great\", she said. 'Awful'.",
		"\u00abgood\u00bb \u201ebad\u201f \uff02nice\uff02": "\"good\" \"bad\" \"nice\"",
	} {
		if got, want := a.Score(text), a.Score(plain); got != want || want == (sentiment.Polarity{Neutral: 1}) {
			t.Errorf("Score(%q) = %+v, want %+v", text, got, want)
		}
	}
}
