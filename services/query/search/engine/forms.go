package engine

import (
	"slices"

	"github.com/assay-project/assay/services/query/search"
)

// The bases of the scores of hits: those with the words themselves precede those with other forms of them, and these precede
// those with similar words. A hit in a name scores NameBonus more, and the words less than 1e4.
const (
	ExactBase = 5e4
	FormBase  = 4e4
	TypoBase  = 0
	NameBonus = 2e4
)

const (
	// MaxForms is the maximum number of other words for one word of a query, in one library.
	MaxForms = 64
	// Few is the number of hits below which typing errors are considered.
	Few = 5
)

// InLibrary is a query for one library, with the other words that its terms can stand for there.
type InLibrary struct {
	Owner               int64
	Exact, Forms, Typos search.Terms
}

// InLibraries returns the query for each library, without other words.
func InLibraries(owners []int64, terms search.Terms) []InLibrary {
	all := make([]InLibrary, len(owners))
	for i, owner := range owners {
		all[i] = InLibrary{Owner: owner, Exact: terms, Forms: slices.Clone(terms)}
	}
	return all
}

// AddForm adds another form of the word of a term.
func (l *InLibrary) AddForm(term int, word string) {
	if t := &l.Forms[term]; word != t.Words[0] && len(t.Also) < MaxForms {
		t.Also = append(t.Also, word)
	}
}

// Stem is a stem of the word of a term in a language.
type Stem struct {
	Term     int    `json:"t"`
	Language string `json:"l"`
	Stem     string `json:"s"`
}

// Stems returns the stems of the words of terms in all languages.
func Stems(terms search.Terms) []Stem {
	var stems []Stem
	for i, t := range terms {
		if !t.Expandable() {
			continue
		}
		for _, language := range search.StemLanguages() {
			for _, found := range search.Stems(language, t.Typed[0]) {
				stems = append(stems, Stem{i, language, found})
			}
		}
	}
	return stems
}

// Expanded reports whether a term can stand for other words.
func Expanded(terms search.Terms) bool {
	return slices.ContainsFunc(terms, func(t search.Term) bool { return len(t.Also) > 0 })
}

// Shown returns the terms whose words are marked in the snippets of hits in any of the libraries.
func Shown(terms search.Terms, all []InLibrary) search.Terms {
	marked := slices.Clone(terms)
	for _, l := range all {
		for _, expanded := range []search.Terms{l.Forms, l.Typos} {
			for i := range expanded {
				for _, word := range expanded[i].Also {
					if !slices.Contains(marked[i].Also, word) {
						marked[i].Also = append(marked[i].Also, word)
					}
				}
			}
		}
	}
	return marked
}
