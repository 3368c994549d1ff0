package language_test

import (
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/language"
)

// articles contains the first sentence of article 1 of the Universal Declaration of Human Rights
// (United Nations, 1948), or both of its sentences, by language.
var articles = map[string]string{
	"en": "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.",
	"fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
	"de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
	"es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.",
	"pt": "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade.",
	"it": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
	"nl": "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.",
	"pl": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
	"ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.",
	"zh": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
	"ja": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
	"ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
	"ar": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء.",
	"el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
}

func TestDetect(t *testing.T) {
	for want, text := range articles {
		if got := language.Detect(text); got != want {
			t.Errorf("Detect(%q) = %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{
		"", " ", "42", "😀😀", "\xff\xfe", "https://example.com/a", "ok", "AAPL", "Paris", "no",
		"Bonjour, this is the end of the week and we like it", // mixed
	} {
		if got := language.Detect(text); got != language.Undetermined && got != language.English {
			t.Errorf("Detect(%q) = %s, want %s or %s", text, got, language.Undetermined, language.English)
		}
	}
}

// TestDetectLongTexts checks that a text is truncated between characters, and that repeating a
// text does not change its language.
func TestDetectLongTexts(t *testing.T) {
	for _, want := range []string{"en", "fr", "ru", "zh"} {
		text := strings.Repeat(articles[want]+" ", 100)
		for cut := range 4 {
			if got := language.Detect(text[:1990+cut*5]); got != want && got != language.Undetermined {
				t.Errorf("Detect of %s text with %d bytes = %s, want %s or %s", want, 1990+cut*5, got, want, language.Undetermined)
			}
		}
		if got := language.Detect(text); got != want {
			t.Errorf("Detect of %d bytes = %s, want %s", len(text), got, want)
		}
	}
}
