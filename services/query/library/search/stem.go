package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// StemLanguages are the languages with a stemmer, as ISO 639-1 codes.
func StemLanguages() []string {
	return []string{"ar", "da", "de", "en", "es", "fi", "fr", "ga", "hu", "it", "nb", "nl", "pt", "ro", "ru", "sv", "ta", "tr"}
}

// stemmer returns Snowball's stemmer of a language, or nil.
func stemmer(language string) func(*snowballstem.Env) bool {
	switch language {
	case "ar":
		return arabic.Stem
	case "da":
		return danish.Stem
	case "de":
		return german.Stem
	case "en":
		return english.Stem
	case "es":
		return spanish.Stem
	case "fi":
		return finnish.Stem
	case "fr":
		return french.Stem
	case "ga":
		return irish.Stem
	case "hu":
		return hungarian.Stem
	case "it":
		return italian.Stem
	case "nb":
		return norwegian.Stem
	case "nl":
		return dutch.Stem
	case "pt":
		return portuguese.Stem
	case "ro":
		return romanian.Stem
	case "ru":
		return russian.Stem
	case "sv":
		return swedish.Stem
	case "ta":
		return tamil.Stem
	case "tr":
		return turkish.Stem
	}
	return nil
}

const (
	// minInflected and maxInflected are the numbers of characters of a word that has other forms.
	minInflected = 3
	maxInflected = 32
)

// Inflected reports whether a word has other forms, and whether typing errors in it are recognizable: it consists of 3 to 32
// letters. word is a word of Words, folded or not.
func Inflected(word string) bool {
	if n := utf8.RuneCountInString(word); n < minInflected || n > maxInflected {
		return false
	}
	return !strings.ContainsFunc(word, func(r rune) bool {
		return unicode.Is(unicode.N, r) || kindOf(r) == character
	})
}

// Stems returns the stems of a word in a language by Snowball's algorithms, folded: that of the word as it is written, and that of the
// folded word, which people type without accents. Words with a common stem are forms of the same word. A language without a
// stemmer has none.
func Stems(language, written string) []string {
	stem := stemmer(language)
	if stem == nil {
		return nil
	}
	var all []string
	for _, form := range []string{strings.ToLower(written), Fold(written)} {
		env := snowballstem.NewEnv(form)
		stem(env)
		if found := Fold(env.Current()); found != "" && !slices.Contains(all, found) {
			all = append(all, found)
		}
	}
	return all
}
