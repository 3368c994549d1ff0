package search

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/terms"
)

// Snippet is an excerpt of a node's name, properties or text that contains words of the query.
type Snippet struct {
	Field string `json:"field" enum:"name,title,author,byline,subject,keywords,attachmentNames,text" doc:"the name, the text, or an entry of the metadata"`
	Parts []Part `json:"parts" nullable:"false" doc:"the concatenated parts are the snippet; they are plain text: escape them for HTML"`
	Place
	Boxes []Box `json:"boxes,omitempty" doc:"where words of the query are on the page, at most 100, if the request asks for boxes and their positions are known"`
}

// Part is a part of a snippet.
type Part struct {
	Text  string `json:"text"`
	Match bool   `json:"match,omitempty" doc:"the part matches the query"`
}

const (
	maxSnippets   = 2   // maximum number of snippets of the text
	maxProperties = 3   // maximum number of snippets of properties
	around        = 80  // bytes around a match
	maxMatches    = 200 // maximum number of matches considered in an excerpt
)

// Snippets returns the snippets of a hit: the name and the properties that contain words of the query, and the passages of the
// text that contain the most of them. It reads excerpts until it has enough passages.
func Snippets(name string, properties []Property, excerpts iter.Seq2[Excerpt, error], asked Terms) ([]Snippet, error) {
	var snippets []Snippet
	if found := matches(name, asked.In("name"), maxMatches); len(found) > 0 {
		snippets = append(snippets, Snippet{Field: "name", Parts: Whole(name).parts(0, len(name), found)})
	}
	shown := 0
	for _, p := range properties {
		whole := Whole(p.Value)
		if best := best(whole.passages(asked.In(terms.FieldOf(p.Field))), 1); len(best) > 0 && shown < maxProperties {
			snippets = append(snippets, Snippet{Field: p.Field, Parts: best[0].parts()})
			shown++
		}
	}
	var found []passage
	for e, err := range excerpts {
		if err != nil {
			return nil, err
		}
		if found = append(found, e.passages(asked.In("text"))...); len(found) >= maxSnippets {
			break
		}
	}
	for _, p := range best(found, maxSnippets) {
		snippets = append(snippets, Snippet{Field: "text", Parts: p.parts(), Place: p.place()})
	}
	return snippets, nil
}

// match is an occurrence of a term in a text.
type match struct{ start, end, term int }

// matches returns the first occurrences of terms in a text, at least most if there are as many, in order of position. It merges overlapping
// occurrences.
func matches(text string, asked Terms, most int) []match {
	longest := 0
	for _, t := range asked {
		longest = max(longest, len(t.Words))
	}
	var found []match
	var last []Word // as many words as the longest term
	for w := range terms.Words(text) {
		if last = append(last, w); len(last) > longest {
			last = last[1:]
		}
		for i, t := range asked {
			if t.Not || !ends(last, t) {
				continue
			}
			m := match{last[len(last)-len(t.Words)].Start, w.End, i}
			if n := len(found); n > 0 && found[n-1].end > m.start { // overlaps
				found[n-1].end = max(found[n-1].end, m.end)
				continue
			}
			found = append(found, m)
		}
		if len(found) >= most {
			break
		}
	}
	return found
}

// ends reports whether the last words match a term.
func ends(words []Word, t Term) bool {
	if len(words) < len(t.Words) {
		return false
	}
	words = words[len(words)-len(t.Words):]
	for i, want := range t.Words {
		if t.Prefix && i == len(t.Words)-1 {
			return strings.HasPrefix(words[i].Text, want)
		}
		if words[i].Text != want && (len(t.Words) > 1 || !slices.Contains(t.Also, words[i].Text)) {
			return false
		}
	}
	return true
}

// widened extends a passage to include the words around it.
func widened(text string, start, end int) (int, int) {
	from, to := max(0, start-around), min(len(text), end+around)
	if from > 0 {
		if at := strings.IndexFunc(text[from:start], unicode.IsSpace); at >= 0 {
			from += at
		}
		for !utf8.RuneStart(text[from]) {
			from++
		}
	}
	if to < len(text) {
		if at := strings.LastIndexFunc(text[end:to], unicode.IsSpace); at >= 0 {
			to = end + at
		}
		for !utf8.RuneStart(text[to]) {
			to--
		}
	}
	return from, to
}

const ellipsis = "…"

// parts splits a part of an excerpt at its matches and collapses white space.
func (e Excerpt) parts(start, end int, found []match) []Part {
	var all []Part
	text := e.Text
	add := func(s string, hit bool) {
		if s = spaced(s); s != "" {
			all = append(all, Part{s, hit})
		}
	}
	before := text[start:found[0].start]
	if e.At+start > 0 && !strings.HasSuffix(text[:start], pageEnd) {
		before = ellipsis + before
	}
	add(before, false)
	for i, m := range found {
		add(text[m.start:m.end], true)
		if i+1 < len(found) {
			add(text[m.end:found[i+1].start], false)
		}
	}
	after := text[found[len(found)-1].end:end]
	if e.continues(end) {
		after += ellipsis
	}
	add(after, false)
	return all
}

// continues reports whether the page of a position in an excerpt continues after it.
func (e Excerpt) continues(at int) bool {
	rest := strings.TrimLeft(e.Text[at:], " \t\r\n")
	if rest == "" {
		return !e.Last
	}
	return !strings.HasPrefix(rest, pageEnd)
}

func spaced(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			space = true
			continue
		}
		if space {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	if space {
		b.WriteByte(' ')
	}
	return b.String()
}
