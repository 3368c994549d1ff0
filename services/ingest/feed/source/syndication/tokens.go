package syndication

import (
	"bytes"
	"encoding/xml"
	"html"
	"io"
	"maps"
	"regexp"
	"strings"
)

// maxDamages is the number of damaged tags after which the rest of a document is not read.
const maxDamages = 1000

// tokens reads the tokens of an XML document. A "<" that does not start a tag is text, as are characters and
// references that XML does not permit.
type tokens struct {
	document []byte
	entities map[string]string
	decoder  *xml.Decoder
	start    int // of the decoder in the document
	damages  int
	cut      bool // the document ends within a tag, or the rest is not read
}

func newTokens(document []byte, entities map[string]string) *tokens {
	t := &tokens{document: document, entities: entities}
	t.restart(0)
	return t
}

// restart continues at an offset in the document.
func (t *tokens) restart(at int) {
	t.start = at
	t.decoder = xml.NewDecoder(bytes.NewReader(t.document[at:]))
	t.decoder.Strict, t.decoder.Entity = false, t.entities
	t.decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
}

// next returns the next token, or nil at the end.
func (t *tokens) next() xml.Token {
	if t.cut {
		return nil
	}
	at := t.start + int(t.decoder.InputOffset())
	token, err := t.decoder.RawToken()
	switch {
	case err == nil:
		return token
	case at >= len(t.document):
		return nil
	case t.document[at] != '<':
		text := t.document[at:]
		if end := bytes.IndexByte(text, '<'); end >= 0 {
			text = text[:end]
		}
		t.restart(at + len(text))
		return xml.CharData(html.UnescapeString(string(text)))
	}
	if t.damages++; t.damages > maxDamages || t.start+int(t.decoder.InputOffset()) >= len(t.document) {
		t.cut = true
		return nil
	}
	t.restart(at + 1)
	return xml.CharData("<")
}

// entityDeclaration matches the declaration of an entity for a few characters.
var entityDeclaration = regexp.MustCompile(`<!ENTITY\s+(\w+)\s+(?:"(&#\w+;|[^&"<]{1,32})"|'(&#\w+;|[^&'<]{1,32})')`)

// maxEntities is the maximum number of declared entities.
const maxEntities = 500

// entities returns the entities of HTML and those that the prolog of a document declares.
func entities(prolog []byte) map[string]string {
	found := entityDeclaration.FindAllSubmatch(prolog, maxEntities)
	if found == nil {
		return xml.HTMLEntity
	}
	all := maps.Clone(xml.HTMLEntity)
	for _, match := range found {
		all[string(match[1])] = html.UnescapeString(string(match[2]) + string(match[3]))
	}
	return all
}

// prefixes maps the namespaces of feeds, in lower case, to the prefixes by which this package names their
// elements. Those of RSS and Atom have none.
var prefixes = map[string]string{
	"http://backend.userland.com/rss": "", "http://blogs.law.harvard.edu/tech/rss": "", "http://purl.org/rss/1.0/": "",
	"http://my.netscape.com/rdf/simple/0.9/": "", "http://channel.netscape.com/rdf/simple/0.9/": "", "http://purl.org/rss/1.0/modules/rss091#": "",
	"http://purl.org/net/rss1.1#": "", "http://purl.org/atom/ns#": "", "http://www.w3.org/2005/atom": "", "http://purl.org/pie/": "", "http://purl.org/echo/": "",
	"http://example.com/newformat#": "", "http://example.com/necho": "", "uri/of/echo/namespace#": "",
	"http://purl.org/dc/elements/1.1/": "dc", "http://purl.org/dc/terms/": "dcterms", "http://purl.org/rss/1.0/modules/content/": "content",
	"http://search.yahoo.com/mrss": "media", "http://search.yahoo.com/mrss/": "media", "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
	"http://rssnamespace.org/feedburner/ext/1.0": "feedburner", "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf", "http://www.w3.org/1999/xhtml": "xhtml",
}

// maxNamespaces is the maximum number of namespaces in a scope; others are ignored.
const maxNamespaces = 64

// scope maps the prefixes of a part of a document to those of this package.
type scope map[string]string

// within returns the scope in an element with the given attributes.
func (s scope) within(attrs []xml.Attr) scope {
	inner := s
	for _, a := range attrs {
		prefix := a.Name.Local
		switch {
		case a.Name.Space == "" && a.Name.Local == "xmlns":
			prefix = ""
		case a.Name.Space != "xmlns":
			continue
		}
		space := strings.ToLower(strings.TrimSpace(a.Value))
		if strings.Contains(space, "backend.userland.com/rss") {
			space = "http://backend.userland.com/rss"
		}
		to, known := prefixes[space]
		if !known {
			to = prefix
		}
		if len(inner) < maxNamespaces {
			if inner = maps.Clone(inner); inner == nil {
				inner = scope{}
			}
			inner[prefix] = to
		}
	}
	return inner
}

// name returns the name of an element in lower case, with the prefix of this package. An undeclared prefix remains.
func (s scope) name(written xml.Name) string {
	prefix, known := s[written.Space]
	if !known {
		prefix = written.Space
		if prefix == "atom" || prefix == "rss" {
			prefix = ""
		}
	}
	if prefix == "" {
		return strings.ToLower(written.Local)
	}
	return strings.ToLower(prefix + ":" + written.Local)
}
