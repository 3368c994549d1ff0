package source

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// plain returns the text of an HTML fragment, on one line.
func plain(markup string) string {
	var text strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(markup))
	hidden := atom.Atom(0) // the element that is being skipped; 0 means none
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text.String(), ""), func(r rune) bool {
				return unicode.IsSpace(r) || unicode.IsControl(r)
			}), " ")
		}
		token := tokens.Token()
		switch {
		case kind == html.EndTagToken && token.DataAtom == hidden:
			hidden = 0
		case hidden != 0:
		case kind == html.TextToken:
			text.WriteString(token.Data)
		case kind == html.StartTagToken && slices.Contains(unseen, token.DataAtom):
			hidden = token.DataAtom
		case kind != html.CommentToken && !slices.Contains(inline, token.DataAtom):
			text.WriteByte(' ') // separate the words on both sides, as a browser does
		}
	}
}

var (
	unseen = []atom.Atom{atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Iframe, atom.Svg, atom.Head}
	inline = []atom.Atom{
		atom.A, atom.Abbr, atom.B, atom.Cite, atom.Code, atom.Em, atom.Font, atom.I, atom.Mark, atom.Q, atom.S,
		atom.Small, atom.Span, atom.Strong, atom.Sub, atom.Sup, atom.U, atom.Wbr,
	}
)

// joined returns title and summary as one text, with the title as a separate sentence. It
// omits a summary that only repeats the title.
func joined(title, summary string) string {
	switch {
	case summary == "" || summary == title:
		return title
	case title == "":
		return summary
	case strings.ContainsRune(".!?…:", last(title)):
		return title + " " + summary
	}
	return title + ". " + summary
}

func last(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}

// cut returns the first n characters of a text.
func cut(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
