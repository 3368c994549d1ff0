package syndication

import (
	"encoding/base64"
	"encoding/xml"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	xhtml "golang.org/x/net/html"
)

// construct is an element whose content is being read.
type construct struct {
	name  string // of the element
	attrs []xml.Attr
	base  string // see frame
	depth int    // the number of open elements outside
	text  strings.Builder
	// markup is the content as HTML if it has elements.
	markup strings.Builder
	tagged bool
}

func (c *construct) write(text string) {
	if c.tagged {
		c.markup.WriteString(html.EscapeString(text))
	} else {
		c.text.WriteString(text)
	}
}

// tag adds the tag of an element.
func (c *construct) tag(start, name string) {
	if !c.tagged {
		c.tagged = true
		c.markup.WriteString(html.EscapeString(c.text.String()))
	}
	c.markup.WriteString(start + strings.ToLower(name) + ">")
}

// plain returns the content as text.
func (c *construct) plain() string {
	if c.tagged {
		return strings.TrimSpace(textOf(c.markup.String()))
	}
	return strings.TrimSpace(repaired(c.text.String()))
}

// html returns the content as HTML. The content of an element of Atom is what its type states. For other formats,
// the type is a guess, because publishers write HTML in elements that are defined as text.
func (c *construct) html(atom bool) string {
	if c.tagged {
		return strings.TrimSpace(repaired(c.markup.String()))
	}
	text := c.plain()
	if strings.EqualFold(attr(c.attrs, "mode"), "base64") || atom && isBinary(attr(c.attrs, "type")) {
		decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err == nil && utf8.Valid(decoded) {
			text = string(decoded)
		}
	}
	kind := strings.ToLower(attr(c.attrs, "type"))
	switch {
	case kind == "" && slices.Contains([]string{"description", "content:encoded", "dc:description", "fullitem", "body", "xhtml:body"}, c.name):
		return text
	case kind == "html" || kind == "xhtml" || kind == "text/html" || kind == "application/xhtml+xml":
		return text
	case !atom && looksLikeHTML(text):
		return text
	}
	return html.EscapeString(text)
}

// isBinary reports whether a type of Atom is that of data in base64.
func isBinary(kind string) bool {
	kind = strings.ToLower(kind)
	return strings.Contains(kind, "/") && !strings.HasPrefix(kind, "text/") && !strings.HasSuffix(kind, "xml")
}

var (
	endTag    = regexp.MustCompile(`</\w+>`)
	anyTag    = regexp.MustCompile(`</?(\w+)`)
	reference = regexp.MustCompile(`&(#?\w+);`)
	// textTags are the elements of HTML that texts contain.
	textTags = strings.Fields("a abbr acronym address article aside b bdi bdo big blockquote br caption center cite code col dd del details dfn " +
		"dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main map mark menu nav ol p pre q rp rt ruby s " +
		"samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr audio video source button " +
		"form input label option select textarea fieldset legend script style iframe")
)

// maxExamined is the number of tags, and of references, of a text that are examined.
const maxExamined = 1000

// looksLikeHTML reports whether a text has an end tag or a reference, and no tags and references but those of HTML.
func looksLikeHTML(text string) bool {
	references := reference.FindAllStringSubmatch(text, maxExamined)
	if len(references) == 0 && !endTag.MatchString(text) {
		return false
	}
	for _, tag := range anyTag.FindAllStringSubmatch(text, maxExamined) {
		if !slices.Contains(textTags, strings.ToLower(tag[1])) {
			return false
		}
	}
	for _, ref := range references {
		if !strings.HasPrefix(ref[1], "#") && html.UnescapeString(ref[0]) == ref[0] {
			return false
		}
	}
	return true
}

// windows1252 maps the control characters that stand for characters of Windows-1252.
var windows1252 = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

// repaired returns a text without two common errors: UTF-8 that was read as Latin-1 and encoded again, and Windows-1252
// that was read as Latin-1.
func repaired(text string) string {
	ascii := true
	latin := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xFF {
			latin = nil
			break
		}
		ascii = ascii && r < utf8.RuneSelf
		latin = append(latin, byte(r))
	}
	switch {
	case ascii && latin != nil:
		return text
	case latin != nil && utf8.Valid(latin):
		text = string(latin)
	}
	return strings.Map(func(r rune) rune {
		if r >= 0x80 && r <= 0x9F {
			return windows1252[r-0x80]
		}
		return r
	}, text)
}

// attr returns the value of an attribute, or an empty string. The case of the name does not matter.
func attr(attrs []xml.Attr, name string) string {
	for _, a := range attrs {
		if strings.EqualFold(a.Name.Local, name) && a.Name.Space != "xmlns" && (a.Name.Space == "xml") == (name == "base") {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// textOf returns the text of an HTML fragment.
func textOf(markup string) string {
	var text strings.Builder
	for z := xhtml.NewTokenizer(strings.NewReader(markup)); ; {
		switch z.Next() {
		case xhtml.ErrorToken:
			return text.String()
		case xhtml.TextToken:
			text.WriteString(z.Token().Data)
		}
	}
}
