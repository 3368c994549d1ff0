package search

import (
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Spelled returns a source text with its words as readers know them: with the escape sequences of JSON decoded, with the
// character references of XML and Markdown decoded, and without the marks of Markdown that emphasize parts of words.
func Spelled(format, text string) string {
	switch format {
	case "json":
		return unescaped(text)
	case "xml":
		return html.UnescapeString(text)
	case "md":
		return html.UnescapeString(withoutEmphasis(text))
	}
	return text
}

// unescaped decodes the escape sequences of JSON. It leaves invalid ones unchanged.
func unescaped(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, `\`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		r, size := escape(after)
		if size == 0 {
			r = '\\'
		}
		b.WriteRune(r)
		text = after[size:]
	}
}

// escape returns the character of an escape sequence after its backslash, and the length of the sequence, or 0 if it is
// invalid.
func escape(s string) (r rune, size int) {
	if s == "" {
		return 0, 0
	}
	if i := strings.IndexByte(`"\/bfnrt`, s[0]); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), 1
	}
	r, ok := hexadecimal(s)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) {
		if rest, is := strings.CutPrefix(s[5:], `\`); is {
			if second, ok := hexadecimal(rest); ok && utf16.DecodeRune(r, second) != utf8.RuneError {
				return utf16.DecodeRune(r, second), 11
			}
		}
		return utf8.RuneError, 5
	}
	return r, 5
}

// hexadecimal returns the character of u and four hexadecimal digits.
func hexadecimal(s string) (rune, bool) {
	if len(s) < 5 || s[0] != 'u' {
		return 0, false
	}
	code, err := strconv.ParseUint(s[1:5], 16, 16)
	return rune(code), err == nil
}

// withoutEmphasis removes the pairs of asterisks and tildes of Markdown that emphasize a part of a word. It leaves code
// unchanged. Underscores do not emphasize parts of words.
func withoutEmphasis(text string) string {
	var b strings.Builder
	for more := true; more; {
		var paragraph string
		paragraph, text, more = strings.Cut(text, "\n\n")
		emphasis(&b, paragraph)
		if more {
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

// emphasis writes a paragraph without the marks of emphasis.
func emphasis(b *strings.Builder, s string) {
	type mark struct {
		at, size int
		paired   bool
	}
	var marks []mark
	open := map[string]int{} // the number of marks after a mark that is not closed yet
	for at := 0; at < len(s); {
		size := run(s[at:])
		if size == 0 {
			at++
			continue
		}
		marker, end := s[at:at+size], at+size
		if marker[0] == '`' {
			if closing := strings.Index(s[end:], marker); closing >= 0 {
				end += closing + size
			}
			at = end
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[end:])
		starts, ends := end < len(s) && !unicode.IsSpace(after), at > 0 && !unicode.IsSpace(before)
		if first := open[marker]; first > 0 && ends {
			marks[first-1].paired = true
			marks = append(marks, mark{at, size, true})
			delete(open, marker)
		} else if starts {
			marks = append(marks, mark{at, size, false})
			open[marker] = len(marks)
		}
		at = end
	}
	from := 0
	for _, m := range marks {
		if m.paired {
			b.WriteString(s[from:m.at])
			from = m.at + m.size
		}
	}
	b.WriteString(s[from:])
}

// run returns the length of the run of marks at the beginning of s, or 0.
func run(s string) int {
	if s[0] != '*' && s[0] != '~' && s[0] != '`' {
		return 0
	}
	return len(s) - len(strings.TrimLeft(s, s[:1]))
}
