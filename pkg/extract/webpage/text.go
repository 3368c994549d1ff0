package webpage

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// plain returns the displayed text of a node, with one line for each block and a tab after each cell, and with the
// alternative texts of pictures. It has at most most bytes; complete reports whether that is all.
func plain(n *html.Node, most int) (text string, complete bool) {
	p := prose{most: most}
	p.add(n, view{})
	return p.b.String(), !p.cut
}

// maxSpace is the number of bytes of white space that are kept at the start of a line or between words.
const maxSpace = 1000

// prose is a text that is being written.
type prose struct {
	b     strings.Builder
	most  int
	cut   bool   // the text has more than most bytes
	line  bool   // a line ends before the next word
	space string // white space before the next word
	ruby  bool   // the white space is inside a ruby text
	inner bool   // the current text is inside a ruby text
}

func (p *prose) add(n *html.Node, v view) {
	switch {
	case p.cut:
		return
	case n.Type == html.TextNode:
		if !v.hidden {
			p.addText(n.Data, v)
		}
		return
	case n.Type == html.ElementNode:
		if v = v.of(n); v.none {
			return
		}
	case n.Type != html.DocumentNode:
		return
	}
	if v.block {
		p.endLine()
	}
	switch n.Data {
	case "img":
		if !v.hidden {
			p.separate()
			p.addText(attribute(n, "alt"), view{})
			p.separate()
		}
	case "button", "object":
		p.separate()
		defer p.separate()
	}
	inner := v
	inner.block = false
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.add(c, inner)
	}
	switch {
	case v.block:
		p.endLine()
	case n.Data == "td" || n.Data == "th":
		p.pend("\t")
	}
}

func (p *prose) endLine() { p.line, p.space = true, "" }

// separate adds white space, unless there is some or a line begins.
func (p *prose) separate() {
	if p.space == "" && !p.line && p.b.Len() > 0 {
		p.space, p.ruby = " ", p.inner
	}
}

// pend adds white space before the next word that is kept as it is.
func (p *prose) pend(space string) {
	if len(p.space)+len(space) <= maxSpace {
		p.space += space
	}
}

func (p *prose) addText(s string, v view) {
	p.inner = v.ruby
	if v.pre {
		p.addLines(s)
		return
	}
	words := 0
	for word := range strings.FieldsSeq(s) {
		if words++; words > 1 || startsWithSpace(s) {
			p.separate()
		}
		p.write(word)
	}
	if endsWithSpace(s) {
		p.separate()
	}
}

// addLines adds a text with its line feeds and spaces.
func (p *prose) addLines(s string) {
	first := true
	for line := range strings.SplitSeq(s, "\n") {
		if !first {
			p.endLine()
		}
		first = false
		start := strings.TrimLeft(line, " \t\r")
		p.pend(line[:len(line)-len(start)])
		words := strings.TrimRight(start, " \t\r")
		p.write(words)
		p.pend(start[len(words):])
	}
}

// write adds a word or several after the pending white space.
func (p *prose) write(word string) {
	if word == "" || p.cut {
		return
	}
	if p.ruby && p.space != "" && (isKanjiOrKana(utf8.DecodeLastRuneInString(p.b.String())) || isKanjiOrKana(utf8.DecodeRuneInString(word))) {
		p.space = ""
	}
	if p.line && p.b.Len() > 0 {
		word = "\n" + p.space + word
	} else {
		word = p.space + word
	}
	p.line, p.space = false, ""
	if left := p.most - p.b.Len(); len(word) > left {
		for p.cut = true; left > 0 && !utf8.RuneStart(word[left]); left-- {
		}
		word = strings.TrimRight(word[:left], " \t\n")
	}
	p.b.WriteString(word)
}

// isKanjiOrKana reports whether a character is of a script that ruby texts annotate and that has no spaces between
// words. The size of the character is ignored.
func isKanjiOrKana(r rune, _ int) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo)
}

func startsWithSpace(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsSpace(r)
}

func endsWithSpace(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsSpace(r)
}
