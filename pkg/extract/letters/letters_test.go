package letters

import (
	"strings"
	"testing"
)

// TestCosts compares costs with the model that they come from, lingua-go v1.4.0: in English, the letter e is 12.08 % of all
// letters, h 27.76 % of those after t, and e 65.12 % of those after th. A cost is -8·log2 p, rounded.
func TestCosts(t *testing.T) {
	const e, hAfterT, eAfterTH = 24, 15, 5
	en := All()["en"]
	if got := en.Pairs([]rune("e")); got != e {
		t.Errorf("e: got %d, want %d", got, e)
	}
	single := en.Pairs([]rune("t"))
	if got := en.Pairs([]rune("th")) - single; got != hAfterT {
		t.Errorf("h after t: got %d, want %d", got, hAfterT)
	}
	if got := en.Triples([]rune("the")) - single - hAfterT; got != eAfterTH {
		t.Errorf("e after th: got %d, want %d", got, eAfterTH)
	}
}

// TestLanguagesPreferTheirWords checks that a sentence costs less in its language than in any other.
func TestLanguagesPreferTheirWords(t *testing.T) {
	for name, text := range map[string]string{
		"en": "the weather has been wonderful throughout the whole week", "de": "das wetter ist die ganze woche wunderbar gewesen",
		"fr": "il a fait très beau pendant toute la semaine", "pl": "przez cały tydzień pogoda była wspaniała",
		"ru": "всю неделю стояла прекрасная погода", "el": "ο καιρός ήταν υπέροχος όλη την εβδομάδα", "th": "อากาศดีมากตลอดทั้งสัปดาห์",
		"ja": "一週間ずっと天気がよかったです", "ko": "일주일 내내 날씨가 아주 좋았다", "ar": "كان الطقس رائعا طوال الأسبوع",
	} {
		best, least := "", 1<<30
		for other, l := range All() {
			sum := 0
			for word := range strings.FieldsSeq(text) {
				sum += l.Triples([]rune(word))
			}
			if sum < least || sum == least && other < best {
				best, least = other, sum
			}
		}
		if best != name {
			t.Errorf("%q costs least in %s, want %s", text, best, name)
		}
	}
}

func TestAll(t *testing.T) {
	if n := len(All()); n != 73 {
		t.Errorf("got %d languages, want 73", n)
	}
	for name, l := range All() {
		if l.Name != name || len(l.single) == 0 {
			t.Errorf("%s: got name %q and %d letters", name, l.Name, len(l.single))
		}
	}
	if en := All()["en"]; !en.Latin() || !en.Has('z') || en.Has('й') {
		t.Error("English has the wrong letters")
	}
	if zh := All()["zh"]; zh.Latin() || !zh.Has('中') {
		t.Error("Chinese has the wrong characters")
	}
}
