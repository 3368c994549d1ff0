package syndication

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"regexp"

	"github.com/assay-project/assay/pkg/guard/fetch"
	"github.com/assay-project/assay/pkg/reason"
)

var (
	// rootTag matches the start tag of RSS 2.0, RSS 1.0 and Atom.
	rootTag = regexp.MustCompile(`(?i)<(?:[a-z][\w.-]*:)?(?:rss|rdf|feed)[\s>]`)
	// startTag matches the start of an XML declaration, of a document type declaration, or of the root element.
	startTag = regexp.MustCompile(`(?i)<\?xml\s|<!DOCTYPE\s|` + rootTag.String())
)

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

// prepared returns a document in UTF-8. An XML document begins with its root element; prolog is what precedes it.
func prepared(body []byte, contentType string) (prolog, document []byte) {
	body = UTF8(from(startTag, body), contentType)
	document = from(rootTag, body)
	return body[:len(body)-len(document)], document
}

// from returns an XML document from the first match outside comments, or the whole document if nothing matches.
func from(tag *regexp.Regexp, document []byte) []byte {
	if isJSON(document) {
		return document
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

func isJSON(document []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(document, []byte("\ufeff")), " \t\r\n"), []byte("{"))
}
