package search

import (
	"maps"
	"slices"
	"strings"

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

	"github.com/assay-project/assay/pkg/terms"
)

// stemmers are the stemmers of Snowball, by language as an ISO 639-1 code.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"ar": arabic.Stem,
	"da": danish.Stem,
	"de": german.Stem,
	"en": english.Stem,
	"es": spanish.Stem,
	"fi": finnish.Stem,
	"fr": french.Stem,
	"ga": irish.Stem,
	"hu": hungarian.Stem,
	"it": italian.Stem,
	"nb": norwegian.Stem,
	"nl": dutch.Stem,
	"pt": portuguese.Stem,
	"ro": romanian.Stem,
	"ru": russian.Stem,
	"sv": swedish.Stem,
	"ta": tamil.Stem,
	"tr": turkish.Stem,
}

// StemLanguages returns the languages with a stemmer, sorted.
func StemLanguages() []string { return slices.Sorted(maps.Keys(stemmers)) }

// Stems returns the stems of a word in a language by Snowball's algorithms, folded: that of the word as it is written, and that of the
// folded word, which people type without accents. Words with a common stem are forms of the same word. A language without a
// stemmer has none.
func Stems(language, written string) []string {
	stem, known := stemmers[language]
	if !known {
		return nil
	}
	var all []string
	for _, form := range []string{strings.ToLower(written), terms.Fold(written)} {
		env := snowballstem.NewEnv(form)
		stem(env)
		if found := terms.Fold(env.Current()); found != "" && !slices.Contains(all, found) {
			all = append(all, found)
		}
	}
	return all
}
