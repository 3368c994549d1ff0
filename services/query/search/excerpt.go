package search

import (
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/terms"
)

// Excerpt is a part of a text that may contain matches.
type Excerpt struct {
	Place        // of its beginning
	At    int    // its position among the excerpts of a text, at least its offset in bytes; 0 at the beginning of the text
	Text  string // with the beginning of the text after it
	Own   int    // length without the text after it: matches must begin before
	Last  bool   // the text ends with it
}

// Whole returns the excerpt that is the complete text.
func Whole(text string) Excerpt { return Excerpt{Text: text, Own: len(text), Last: true} }

// passage is a group of matches that are close to each other, on one page unless one of them continues on the next.
type passage struct {
	Excerpt
	matches []match
	all     []match // of the excerpt
}

// passages returns the passages of an excerpt.
func (e Excerpt) passages(asked Terms) []passage {
	var all []passage
	found := matches(e.Text, asked, maxMatches)
	for _, m := range found {
		n := len(all)
		switch {
		case m.start >= e.Own:
		case n > 0 && m.end-all[n-1].matches[0].start <= 2*around && !strings.Contains(e.Text[all[n-1].end():m.start], pageEnd):
			all[n-1].matches = append(all[n-1].matches, m)
		default:
			all = append(all, passage{e, []match{m}, found})
		}
	}
	return all
}

// end returns the end of the last match.
func (p passage) end() int { return p.matches[len(p.matches)-1].end }

// place returns the place of the first match.
func (p passage) place() Place { return p.after(p.Text, p.matches[0].start) }

// terms returns the number of distinct terms in a passage, and how many of them were not seen before.
func (p passage) terms(seen map[int]bool) (count, fresh int) {
	own := map[int]bool{}
	for _, m := range p.matches {
		if !own[m.term] && !seen[m.term] {
			fresh++
		}
		own[m.term] = true
	}
	return len(own), fresh
}

// span returns the part of the excerpt that is shown: the passage with the words around it on its page.
func (p passage) span() (start, end int) {
	start, end = widened(p.Text, p.matches[0].start, p.end())
	start += strings.LastIndex(p.Text[start:p.matches[0].start], pageEnd) + 1
	if i := strings.Index(p.Text[p.end():end], pageEnd); i >= 0 {
		end = p.end() + i
	}
	return start, end
}

// parts returns what is shown of the passage, with all matches in it.
func (p passage) parts() []Part {
	start, end := p.span()
	shown := slices.DeleteFunc(slices.Clone(p.all), func(m match) bool { return m.start < start || m.end > end })
	return p.Excerpt.parts(start, end, shown)
}

// repeats reports whether a passage shows hardly more than another one: they overlap, or have most of their words in common.
func (p passage) repeats(other passage) bool {
	start, end := p.span()
	from, to := other.span()
	if p.At+start < other.At+to && other.At+from < p.At+end {
		return true
	}
	own, others := wordsOf(p.Text[start:end]), wordsOf(other.Text[from:to])
	shared := 0
	for word := range own {
		if others[word] {
			shared++
		}
	}
	return 3*shared >= 2*max(len(own), len(others))
}

func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for w := range terms.Words(text) {
		words[w.Text] = true
	}
	return words
}

// best returns the passages with the most distinct terms, first those that the passages chosen before do not have, in the order of the
// text. It omits passages that repeat another one.
func best(all []passage, number int) []passage {
	all = slices.Clone(all)
	seen := map[int]bool{}
	var chosen []passage
	for len(chosen) < number && len(all) > 0 {
		at, most, fresh := 0, -1, -1
		for i, p := range all {
			if count, news := p.terms(seen); news > fresh || news == fresh && count > most {
				at, most, fresh = i, count, news
			}
		}
		for _, m := range all[at].matches {
			seen[m.term] = true
		}
		last := all[at]
		chosen, all = append(chosen, last), slices.Delete(all, at, at+1)
		all = slices.DeleteFunc(all, func(p passage) bool {
			_, fresh := p.terms(seen)
			return fresh == 0 && p.repeats(last)
		})
	}
	slices.SortFunc(chosen, func(a, b passage) int { return a.At + a.matches[0].start - b.At - b.matches[0].start })
	return chosen
}
