// Package language detects the language of short texts.
package language

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/abadojack/whatlanggo"
)

// Undetermined means that the language could not be detected reliably.
const Undetermined = "und"

// English is the only language for which sentiment is scored.
const English = "en"

// Detect returns the language of a text as a BCP 47 code such as fr. It returns Undetermined for a text
// that has no letters, is in several languages or is too short. The result is deterministic.
//
// The method compares the trigrams of the text with those of 84 languages (W. B. Cavnar and J. M.
// Trenkle, "N-Gram-Based Text Categorization", 1994). A text in which at least a tenth of the words are
// common in English is reported as English or Undetermined, since short English texts full of names resemble other
// languages. Detect reads only the first 2,000 bytes of a text.
func Detect(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), longest)], "")
	found := whatlanggo.Detect(text)
	if !found.IsReliable() {
		return Undetermined
	}
	code := cmp.Or(found.Lang.Iso6391(), found.Lang.Iso6393(), Undetermined)
	switch {
	case code == "zh" && strings.ContainsFunc(text, kana):
		return "ja" // Japanese text may consist mostly of Chinese characters
	case code != English && mixesEnglish(text):
		return Undetermined
	}
	return code
}

// longest is the maximum number of bytes of a text that Detect examines. More bytes would not
// change the result.
const longest = 2000

func kana(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }

// common lists the most frequent words of English, except those that are also common in other
// languages.
const common = " about all and are as be been but by can could for from get has have he her his how i'm if it it's just like more my not out our she should some that the their them then there these they this to very was we were what when which who will with would you your "

// mixesEnglish reports whether at least a tenth of the words are common in English.
func mixesEnglish(text string) bool {
	words, english := 0, 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		words++
		if strings.Contains(common, " "+word+" ") {
			english++
		}
	}
	return english > 0 && english*10 >= words
}
