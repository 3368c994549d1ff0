package similarity_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/similarity"
)

const story = "The port of Exampleton reopened on Monday after a storm that had closed it for three days, the harbour master said."

func sketch(t *testing.T, text string) similarity.Sketch {
	t.Helper()
	s, ok := similarity.Of(text)
	if !ok {
		t.Fatalf("%q has no sketch", text)
	}
	return s
}

func TestCopiesAreNearlyTheSame(t *testing.T) {
	first := sketch(t, story)
	for _, copied := range []string{
		story, strings.ToUpper(story), strings.ReplaceAll(story, " ", "\n  "), "  “" + story + "”", story + " (Wire)",
		"UPDATE: " + story, strings.Replace(story, "Monday", "Tuesday", 1), strings.Replace(story, "harbour", "harbor", 1),
	} {
		if r := first.Resemblance(sketch(t, copied)); r < similarity.Nearly {
			t.Errorf("%q: got resemblance %v, want at least %v", copied, r, similarity.Nearly)
		}
	}
	for _, other := range []string{
		"The port of Otherville stays closed on Friday because of a strike that had been announced by its three unions.",
		"The harbour master of Exampleton resigned after the audit of the accounts of the last three years, the mayor said.",
	} {
		if r := first.Resemblance(sketch(t, other)); r >= similarity.Nearly {
			t.Errorf("%q: got resemblance %v, want less than %v", other, r, similarity.Nearly)
		}
	}
}

func TestTextsWithoutSpaces(t *testing.T) {
	const japanese = "東京の気象庁は月曜日の朝に関東地方の広い範囲で大雨になるおそれがあるとして注意を呼びかけました。"
	a, b := sketch(t, japanese), sketch(t, strings.Replace(japanese, "月曜日", "火曜日", 1))
	if r := a.Resemblance(b); r < similarity.Nearly {
		t.Errorf("got resemblance %v, want at least %v", r, similarity.Nearly)
	}
}

func TestShortTextsHaveNoSketch(t *testing.T) {
	for _, text := range []string{"", "Good price.", strings.Repeat("!? ", 100), strings.Repeat("ab", 19)} {
		if s, ok := similarity.Of(text); ok {
			t.Errorf("%q: got sketch %v, want none", text, s)
		}
	}
}

// TestBands compares the share of pairs that share a band with its expectation, 1-(1-r^4)^4 for a resemblance r.
func TestBands(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprintf("%05d", random.IntN(100_000)) }
	shared := map[bool]int{}
	const pairs = 400
	for range pairs {
		words := make([]string, 60)
		for i := range words {
			words[i] = word()
		}
		a := sketch(t, strings.Join(words, " "))
		for _, near := range []bool{true, false} {
			changed := append([]string(nil), words...)
			for range map[bool]int{true: 3, false: 30}[near] { // resemblances of about 0.86 and 0.3
				changed[random.IntN(len(changed))] = word()
			}
			b := sketch(t, strings.Join(changed, " "))
			for i, band := range a.Bands() {
				if band == b.Bands()[i] {
					shared[near]++
					break
				}
			}
		}
	}
	if shared[true] < pairs*90/100 || shared[false] > pairs*10/100 {
		t.Errorf("of %d pairs each, %d near and %d other pairs share a band, want at least 90 %% and at most 10 %%", pairs, shared[true], shared[false])
	}
}

func TestParse(t *testing.T) {
	s := sketch(t, story)
	if parsed, err := similarity.Parse(s.String()); err != nil || parsed != s {
		t.Errorf("got %v, error %v, want %v", parsed, err, s)
	}
	for _, text := range []string{"", "00", s.String() + "00", s.String()[1:] + "x"} {
		if _, err := similarity.Parse(text); !errors.Is(err, similarity.ErrSketch) {
			t.Errorf("%q: got error %v, want ErrSketch", text, err)
		}
	}
}

func ExampleSketch_Resemblance() {
	first, _ := similarity.Of("Storm closes the port of Exampleton for three days, says the harbour master - Daily Example")
	second, _ := similarity.Of("Storm closes the port of Exampleton for three days, says the harbour master | Example Times")
	fmt.Println(first.Resemblance(second) >= similarity.Nearly)
	// Output: true
}
