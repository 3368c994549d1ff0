package contact

import (
	"bytes"
	"io"
	"mime/quotedprintable"
	"strings"

	"github.com/assay-project/assay/pkg/extract/charset"
	"github.com/assay-project/assay/pkg/extract/records"
)

// property is a line of a vCard, such as ITEM1.TEL;TYPE=home:555.
type property struct {
	name    string // in capitals, without a group
	quoted  bool   // the value is quoted-printable
	charset string // as declared, or ""
	value   []byte
}

// unfold returns the lines of a card. A line that begins with white space continues the previous one, and so does the line
// after a soft line break of a quoted-printable value.
func unfold(raw []byte) [][]byte {
	var lines [][]byte
	soft, quoted := false, false // for the last line
	for line := range bytes.Lines(bytes.TrimPrefix(raw, mark)) {
		line = bytes.TrimRight(line, "\r\n")
		last := len(lines) - 1
		switch {
		case soft:
			lines[last] = append(bytes.TrimSuffix(lines[last], []byte("=")), line...)
		case last >= 0 && len(line) > 0 && (line[0] == ' ' || line[0] == '\t'):
			lines[last] = append(lines[last], line[1:]...)
		default:
			lines, quoted = append(lines, bytes.Clone(line)), isQuoted(line)
		}
		soft = quoted && bytes.HasSuffix(line, []byte("="))
	}
	return lines
}

// mark is the byte order mark of UTF-8.
var mark = []byte("\uFEFF")

func isQuoted(line []byte) bool {
	head, _, _ := bytes.Cut(line, []byte(":"))
	return bytes.Contains(bytes.ToUpper(head), []byte("QUOTED-PRINTABLE"))
}

// parse returns the property in a line. ok is false for a line without one.
func parse(line []byte) (p property, ok bool) {
	end := valueBegins(line)
	if end < 0 {
		return p, false
	}
	parameters := strings.Split(string(line[:end]), ";")
	p.value = line[end+1:]
	p.name = strings.ToUpper(parameters[0])
	if _, name, grouped := strings.Cut(p.name, "."); grouped {
		p.name = name
	}
	for _, parameter := range parameters[1:] {
		name, value, _ := strings.Cut(parameter, "=")
		switch {
		case strings.EqualFold(name, "CHARSET"):
			p.charset = value
		case strings.EqualFold(name, "QUOTED-PRINTABLE"), strings.EqualFold(value, "QUOTED-PRINTABLE"):
			p.quoted = true
		}
	}
	return p, p.name != ""
}

// valueBegins returns the index of the colon before the value, or -1. Colons in quoted parameters do not count.
func valueBegins(line []byte) int {
	inQuotes := false
	for i, c := range line {
		switch {
		case c == '"':
			inQuotes = !inQuotes
		case c == ':' && !inQuotes:
			return i
		}
	}
	return -1
}

// text returns the value of a property as text.
func (p property) text() string {
	value := p.value
	if p.quoted {
		if decoded, err := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(value))); err == nil {
			value = decoded
		}
	}
	text := ""
	if declared, ok := charset.Lookup(p.charset); ok {
		if decoded, err := declared.Encoding.NewDecoder().Bytes(value); err == nil {
			text = string(decoded)
		}
	}
	if text == "" {
		text = records.Decode(value)
	}
	if structured[p.name] {
		return joined(split(text))
	}
	return strings.TrimSpace(unescape(text))
}

// split returns the components of a structured value.
func split(value string) []string {
	var all []string
	begin := 0
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case ';':
			all = append(all, unescape(value[begin:i]))
			begin = i + 1
		}
	}
	return append(all, unescape(value[begin:]))
}

// unescape replaces the escape sequences of RFC 6350, section 3.4.
func unescape(value string) string { return escapes.Replace(value) }

var escapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\N`, "\n", `\,`, ",", `\;`, ";", `\:`, ":")
