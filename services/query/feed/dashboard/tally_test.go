package dashboard

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// The encoding of a sum is the sum of the encodings, and decodes to the sum of the parts.
func TestTalliesAddUp(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for range 1000 {
		var sum tally
		number := new(big.Int)
		for range random.IntN(20) {
			one := tally{Counts{random.IntN(3), random.IntN(2), random.IntN(partLimit / 40)}, random.Int64N(20001) - 10000}
			sum.add(one)
			n, ok := new(big.Int).SetString(one.number(), 10)
			if !ok {
				t.Fatalf("%+v: got the encoding %q, which is not a number", one, one.number())
			}
			number.Add(number, n)
		}
		got, err := parseTally(number.String())
		if err != nil || got != sum || sum.number() != number.String() {
			t.Fatalf("parseTally(%s) = %+v, %v, want %+v; its encoding is %s", number, got, err, sum, sum.number())
		}
	}
	for text, want := range map[string]tally{
		"0": {}, "1": {Counts{Positive: 1}, 0}, "1E+16": {Counts{Negative: 1}, 0}, "-1000000000000000000000000": {compound: -1},
		"99999999999999999999999999999999999999": {Counts{99999999, 99999999, 99999999}, 99999999999999},
	} {
		if got, err := parseTally(text); err != nil || got != want {
			t.Errorf("%s: got %+v, error %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"x", "1.5", "1e-3", "--1"} {
		if got, err := parseTally(text); err == nil {
			t.Errorf("%s: got %+v, want an error", text, got)
		}
	}
}
