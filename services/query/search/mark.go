package search

import (
	"strings"

	"github.com/assay-project/assay/pkg/extract/language"
	"github.com/assay-project/assay/pkg/terms"
)

// Span is a part of a text, in bytes.
type Span struct{ Start, End int }

// maxMarks is the maximum number of spans that Mark returns.
const maxMarks = 10_000

// Mark returns the parts of a text that match terms, in order. They do not overlap.
func Mark(text string, asked Terms) []Span {
	found := matches(text, asked.In("text"), maxMarks)
	spans := make([]Span, len(found))
	for i, m := range found {
		spans[i] = Span{m.start, m.end}
	}
	return spans
}

// LanguageOf returns the language of a text, for the stems of its words. A text in an unknown language counts as English.
func LanguageOf(text string) string {
	if spoken := language.Detect(text); spoken != language.Undetermined {
		return spoken
	}
	return language.English
}

// FormsIn returns terms that also match the other forms of their words in a text, by their stems in the language of the text.
func FormsIn(text string, asked Terms) Terms {
	spoken := LanguageOf(text)
	of := map[string][]int{} // the terms by stem
	all := make(Terms, len(asked))
	for i, t := range asked {
		all[i] = t
		if t.Expandable() {
			for _, stem := range Stems(spoken, t.Typed[0]) {
				of[stem] = append(of[stem], i)
			}
		}
	}
	if len(of) == 0 {
		return all
	}
	seen := map[string]bool{}
	for word := range terms.Words(text) {
		if seen[word.Text] || !terms.Inflected(word.Text) {
			continue
		}
		seen[word.Text] = true
		for _, stem := range Stems(spoken, text[word.Start:word.End]) {
			for _, i := range of[stem] {
				all[i].Also = append(all[i].Also, word.Text)
			}
		}
	}
	return all
}

// Matched returns the terms that match the same words as a snippet.
func (s Snippet) Matched() Terms {
	var all Terms
	seen := map[string]bool{}
	for _, p := range s.Parts {
		if !p.Match {
			continue
		}
		t := Term{Quoted: true}
		for word := range terms.Words(p.Text) {
			t.Words = append(t.Words, word.Text)
		}
		if key := strings.Join(t.Words, " "); key != "" && !seen[key] {
			seen[key] = true
			all = append(all, t)
		}
	}
	return all
}

// Box is a rectangle of a page, in fractions of its width and height.
type Box struct {
	Left   float64 `json:"left" example:"0.118" doc:"distance from the left edge of the page, in fractions of its width"`
	Top    float64 `json:"top" example:"0.094" doc:"distance from the top of the page, in fractions of its height"`
	Width  float64 `json:"width" example:"0.067" doc:"in fractions of the width of the page"`
	Height float64 `json:"height" example:"0.015" doc:"in fractions of the height of the page"`
}
