package syndication

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/guard/fetch"
	"github.com/assay-project/assay/pkg/reason"
)

var (
	// rootTag matches the start tag of RSS 2.0, RSS 1.0 and Atom.
	rootTag = regexp.MustCompile(`(?i)<(?:[a-z][\w.-]*:)?(?:rss|rdf|feed)[\s>]`)
	// startTag matches the start of an XML declaration, or of the root element.
	startTag = regexp.MustCompile(`(?i)<\?xml\s|` + rootTag.String())
	// entryTag matches the start tag of an entry.
	entryTag = regexp.MustCompile(`(?i)<(?:[a-z][\w.-]*:)?(?:item|entry)[\s>]`)
)

// maxDamaged is the number of damaged entries after which the rest of a document is not read.
const maxDamaged = 100

// unpacked decompresses a document that a server sends in gzip without saying so. limit is the maximum size of the result.
func unpacked(body []byte, limit int64) ([]byte, error) {
	if !bytes.HasPrefix(body, []byte("\x1f\x8b")) {
		return body, nil
	}
	packed, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: decompress the document: %w", fetch.ErrMalformed, err)
	}
	out, err := io.ReadAll(io.LimitReader(packed, limit+1))
	if int64(len(out)) > limit {
		return nil, fetch.ErrTooLarge.With(reason.MoreThan, limit)
	}
	if err != nil && len(out) == 0 {
		return nil, fmt.Errorf("%w: decompress the document: %w", fetch.ErrMalformed, err)
	}
	return out, nil // a document that was cut lacks its end, as it would without compression
}

// prepared returns a document in UTF-8. An XML document begins with its root element.
func prepared(body []byte, contentType string) []byte {
	body = from(startTag, body)
	return from(rootTag, inUTF8(body, contentType))
}

// from returns an XML document from the first match outside comments, or the whole document if nothing matches.
func from(tag *regexp.Regexp, document []byte) []byte {
	if bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(document, []byte("\ufeff")), " \t\r\n"), []byte("{")) {
		return document // JSON
	}
	for at := 0; ; {
		found := tag.FindIndex(document[at:])
		if found == nil {
			return document
		}
		comment := bytes.Index(document[at:at+found[0]], []byte("<!--"))
		if comment < 0 {
			return document[at+found[0]:]
		}
		end := bytes.Index(document[at+comment:], []byte("-->"))
		if end < 0 {
			return document
		}
		at += comment + end
	}
}

// salvaged returns a document with only the whole entries of a damaged one. It returns nil if there are none.
func salvaged(document []byte) []byte {
	first := entryTag.FindIndex(document)
	if first == nil {
		return nil
	}
	out := bytes.Clone(document[:first[0]])
	open := unclosed(out)
	entries, damaged := 0, 0
	for at := first[0]; ; {
		length, ended := entryLength(document[at:])
		if length > 0 {
			out = append(out, document[at:at+length]...)
			entries++
		} else {
			damaged++
		}
		if ended || damaged > maxDamaged {
			break
		}
		at += max(length, 1)
		next := entryTag.FindIndex(document[at:])
		if next == nil {
			break
		}
		at += next[0]
	}
	if entries == 0 {
		return nil
	}
	for _, name := range slices.Backward(open) {
		out = append(out, "</"+name+">"...)
	}
	return out
}

// entryLength returns the length of the entry at the start of a document, or 0 if it is damaged. ended reports
// whether the document ended within the entry.
func entryLength(document []byte) (length int, ended bool) {
	d := tokens(document)
	var open []string
	for {
		token, err := d.RawToken()
		if err != nil {
			return 0, d.InputOffset() >= int64(len(document))
		}
		switch token := token.(type) {
		case xml.StartElement:
			if name := written(token.Name); len(open) == 0 || name != open[0] {
				open = append(open, name)
			} else {
				return 0, false // the end tag is missing
			}
		case xml.EndElement:
			if open = closed(open, written(token.Name)); len(open) == 0 {
				return int(d.InputOffset()), false
			}
		}
	}
}

// unclosed returns the names of the elements that are open at the end of a part of a document.
func unclosed(part []byte) []string {
	d := tokens(part)
	var open []string
	for {
		token, err := d.RawToken()
		if err != nil {
			return open
		}
		switch token := token.(type) {
		case xml.StartElement:
			open = append(open, written(token.Name))
		case xml.EndElement:
			open = closed(open, written(token.Name))
		}
	}
}

func tokens(document []byte) *xml.Decoder {
	d := xml.NewDecoder(bytes.NewReader(document))
	d.Strict = false
	return d
}

// closed returns the open elements after an end tag. It also closes the elements within, such as <br>.
func closed(open []string, name string) []string {
	for i, candidate := range slices.Backward(open) {
		if strings.EqualFold(candidate, name) {
			return open[:i]
		}
	}
	return open
}

func written(name xml.Name) string {
	if name.Space == "" {
		return name.Local
	}
	return name.Space + ":" + name.Local
}
