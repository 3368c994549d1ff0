package engine

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestDistance checks distances by their definition: the least number of errors that make one word of the other.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"budget", "budget", 0}, {"budget", "budgte", 1}, {"budget", "udget", 1}, {"budget", "bubget", 1}, {"budget", "buudget", 1},
		{"measurements", "mesurments", 2}, {"budget", "", 3}, {"zurich", "zuri", 2}, {"abcd", "badc", 2}, {"größe", "größen", 1}, {"abcd", "wxyz", 3},
	} {
		if got, _ := newDistance(c.a, 2).of(c.b); min(got, 3) != c.want {
			t.Errorf("%s and %s: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// TestDeadBeginnings compares the beginnings that are skipped with all words of up to five letters.
func TestDeadBeginnings(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		var b strings.Builder
		for range 1 + random.IntN(5) {
			b.WriteByte("abc"[random.IntN(3)])
		}
		return b.String()
	}
	skipped := 0
	for range 20_000 {
		wanted, other := word(), word()
		d := newDistance(wanted, 1)
		distance, dead := d.of(other)
		if dead == 0 {
			continue
		}
		skipped++
		if distance <= 1 {
			t.Fatalf("%s: got distance %d of %s, which is skipped", wanted, distance, other)
		}
		for _, end := range []string{"", "a", "b", "c", "ab", "ba", "ca", "abc", "bca"} {
			if got, _ := d.of(other[:dead] + end); got <= 1 {
				t.Fatalf("%s: got distance %d of %s, but %s is skipped", wanted, got, other[:dead]+end, other[:dead])
			}
		}
	}
	if skipped == 0 {
		t.Error("no beginning was skipped")
	}
}
