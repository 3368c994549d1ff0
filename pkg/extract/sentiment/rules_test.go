package sentiment

import (
	"math"
	"testing"
)

// The sums are computed by hand from the lexicon (good 1.9, bad -2.5, fun 2.3,
// sad -2.1, no -1.2, :) 2.0, lol 1.8, smiling 2.0, broken -2.1, doubt -1.5)
// and the constants of the paper.
func TestRules(t *testing.T) {
	a := New()
	for _, test := range []struct {
		text string
		sum  float64 // before normalization to a compound
	}{
		{"a good book", 1.9},
		{"a (good) book", 1.9},
		{"a good, book", 1.9},
		{"a go,od book", 0},
		{"a :) book", 2},
		{"so:) book", 0},
		{"lol", 1.8},

		{"very good", 1.9 + 0.293},
		{"very bad", -2.5 - 0.293},
		{"hardly good", 1.9 - 0.293},
		{"very a good", 1.9 + 0.293*0.95},
		{"very a a good", 1.9 + 0.293*0.9},
		{"very a a a good", 1.9},
		{"kind of good", 1.9}, // phrases need three words before the word
		{"a kind of good", 1.9 - 0.293},
		{"sort of a good", 1.9 - 0.293},
		{"kind of a good", 1.9}, // ignored: the third word before good is in the lexicon
		{"just enough good", 1.9},
		{"a just enough good", 1.9 - 0.293},
		{"kind-of good", 1.9 - 0.293},
		{"the kind of", 0},

		{"not good", 1.9 * -0.74},
		{"not a good", 1.9 * -0.74},
		{"not a a good", 1.9 * -0.74},
		{"not a a a good", 1.9},
		{"DON'T good", 1.9 * -0.74},
		{"blahn't good", 1.9 * -0.74},
		{"dont good", 1.9 * -0.74},
		{"never good", 1.9 * -0.74},
		{"never so good", (1.9 + 0.293) * 1.25},
		{"never this good", 1.9 * 1.25},
		{"never this a good", 1.9 * 1.25},
		{"a a so good", (1.9 + 0.293) * 1.25}, // a quirk of the reference
		{"without a good", 1.9 * -0.74},
		{"without doubt good", -1.5*-0.74 + 1.9},
		{"without a doubt good", -1.5*-0.74 + 1.9},
		{"least good", 1.9 * -0.74},
		{"a least good", 1.9 * -0.74},
		{"at least good", 1.9},
		{"very least good", 1.9 + 0.293*0.95},
		{"no", -1.2},
		{"no good", 1.9 * -0.74},
		{"no a good", -1.2 + 1.9*-0.74},
		{"no a or good", -1.2 + 1.9*-0.74},
		{"no a nor good", -1.2 + 1.9*-0.74*-0.74},
		{"no a a good", -1.2 + 1.9},

		{"GOOD book", 1.9 + 0.733},
		{"BAD book", -2.5 - 0.733},
		{"GOOD BOOK", 1.9},
		{"VERY good", 1.9 + 0.293 + 0.733},
		{"VERY bad", -2.5 - 0.293 - 0.733},
		{"Good BOOK", 1.9},
		{"GOOD é", 1.9 + 0.733},
		{"GOOD É", 1.9},
		{"GOOD Ⅷ", 1.9},          // upper-case numerals count as upper case
		{"GOOD Aª", 1.9 + 0.733}, // lower-case modifier letters count as lower case
		{"GOOD Aǅ", 1.9 + 0.733}, // title-case letters do not count as upper case

		{"good!", 1.9 + 0.292},
		{"good!!!!!", 1.9 + 4*0.292},
		{"bad!", -2.5 - 0.292},
		{"good?", 1.9},
		{"good??", 1.9 + 2*0.18},
		{"good???", 1.9 + 3*0.18},
		{"good????", 1.9 + 0.96},
		{"book!", 0},

		{"good but sad", 1.9*0.5 - 2.1*1.5},
		{"good BUT sad but fun", 1.9*0.5 - 2.1*1.5 + 2.3*1.5},
		{"good, but good", 1.9*0.5 + 1.9*1.5},

		{"a a the shit", 3},
		{"a a bad ass", -2.5 + 1.5},
		{"a a a bad ass", 1.5 + 1.5}, // both words are in the lexicon
		{"a a a kiss of death", -1.5 - 1.5},
		{"a a bus stop", 0},
		{"a a on the ball", 0}, // listed by the reference, but not applied

		{"😁", 2}, // beaming face with smiling eyes
		{"hm😁hm", 2},
		{"💔", -2.1}, // broken heart
		{"not a 💔", -2.1 * -0.74},
		{"a a a 💔", -2.9},
		{"🙂good", 2 - 0.293}, // slightly smiling facegood
	} {
		want := round(test.sum/math.Sqrt(test.sum*test.sum+15), 1e4)
		if got := a.Score(test.text).Compound; math.Abs(got-want) > 1e-4 {
			t.Errorf("Score(%q).Compound = %v, want %v", test.text, got, want)
		}
	}
}
