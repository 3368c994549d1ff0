package search

import (
	"slices"
	"strings"
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
}

// passages returns the passages of an excerpt.
func (e Excerpt) passages(terms Terms) []passage {
	var all []passage
	for _, m := range matches(e.Text, terms, maxMatches) {
		n := len(all)
		switch {
		case m.start >= e.Own:
		case n > 0 && m.end-all[n-1].matches[0].start <= 2*around && !strings.Contains(e.Text[all[n-1].end():m.start], pageEnd):
			all[n-1].matches = append(all[n-1].matches, m)
		default:
			all = append(all, passage{e, []match{m}})
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

// parts returns the passage with the words around it on its page.
func (p passage) parts() []Part {
	start, end := widened(p.Text, p.matches[0].start, p.end())
	start += strings.LastIndex(p.Text[start:p.matches[0].start], pageEnd) + 1
	if i := strings.Index(p.Text[p.end():end], pageEnd); i >= 0 {
		end = p.end() + i
	}
	return p.Excerpt.parts(start, end, p.matches)
}

// best returns the passages with the most distinct terms, first those that the passages chosen before do not have, in the order of the
// text.
func best(all []passage, most int) []passage {
	all = slices.Clone(all)
	seen := map[int]bool{}
	var chosen []passage
	for len(chosen) < most && len(all) > 0 {
		at, terms, fresh := 0, -1, -1
		for i, p := range all {
			if count, news := p.terms(seen); news > fresh || news == fresh && count > terms {
				at, terms, fresh = i, count, news
			}
		}
		for _, m := range all[at].matches {
			seen[m.term] = true
		}
		chosen, all = append(chosen, all[at]), slices.Delete(all, at, at+1)
	}
	slices.SortFunc(chosen, func(a, b passage) int { return a.At + a.matches[0].start - b.At - b.matches[0].start })
	return chosen
}
