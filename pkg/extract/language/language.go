// Package language detects the language of short texts.
package language

import (
	"slices"
	"strings"
	"unicode"

	"github.com/assay-project/assay/pkg/extract/letters"
)

// Undetermined means that the language could not be detected reliably.
const Undetermined = "und"

// English is the only language for which sentiment is scored.
const English = "en"

const (
	// longest is the maximum number of bytes of a text that Detect examines. More bytes hardly change the result.
	longest = 2000
	// fewest is the number of different letters and their neighbours below which a text in Latin letters is
	// undetermined.
	fewest = 6
	// Another language than English must be likelier by certainty, plus a fifth of a bit a letter: short English texts
	// full of names and exclamations resemble other languages.
	certainty = 16 * letters.Bit
	perLetter = letters.Bit / 5
	// finalists is the number of languages, after a first round by pairs of letters, that are compared by triples.
	finalists = 12
)

// Detect returns the language of a text as an ISO 639-1 code such as fr, or Undetermined for a text that has no letters or
// is too short. A text in Latin letters is reported as another language than English only if that is certain. Bosnian
// texts are reported as Croatian, and Norwegian ones as Bokmål, nb. The result is deterministic.
//
// The method adds up the information of the letters of each different word, given the two letters before, in 73
// languages (see package letters). Addresses, names after @ and tags are left out. Detect reads only the first 2,000
// bytes of a text.
func Detect(text string) string {
	words := split(strings.ToValidUTF8(text[:min(len(text), longest)], ""))
	script := dominant(words)
	if script == nil {
		return Undetermined
	}
	if len(script.languages) == 1 {
		return script.languages[0]
	}
	size := 0
	for _, w := range words {
		size += len(w)
	}
	best, overEnglish := cheapest(words, script.languages)
	switch {
	case script.table != unicode.Latin:
		return best
	case size < fewest:
		return Undetermined
	case best != English && overEnglish < certainty+perLetter*size:
		return Undetermined
	}
	return best
}

// rated is a language with its cost.
type rated struct {
	language *letters.Language
	cost     int
}

// cheapest returns the likeliest language, and the cost of English less its cost.
func cheapest(words [][]rune, languages []string) (best string, overEnglish int) {
	all, order := letters.All(), make([]rated, len(languages))
	for i, name := range languages {
		order[i].language = all[name]
		for _, w := range words {
			order[i].cost += all[name].Pairs(w)
		}
	}
	slices.SortStableFunc(order, func(a, b rated) int { return a.cost - b.cost })
	english, least := 0, -1
	for i, r := range order {
		if i >= finalists && r.language.Name != English {
			continue
		}
		cost := 0
		for _, w := range words {
			cost += r.language.Triples(w)
		}
		if least < 0 || cost < least {
			best, least = r.language.Name, cost
		}
		if r.language.Name == English {
			english = cost
		}
	}
	return best, english - least
}
