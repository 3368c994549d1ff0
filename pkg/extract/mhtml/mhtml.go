// Package mhtml reads web pages that browsers and Word have stored in a single file: MIME messages of type
// multipart/related (RFC 2557).
package mhtml

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/assay-project/assay/pkg/extract/reason"
)

// Type is the media type of an archive.
const Type = "multipart/related"

// ErrDamaged is returned for an archive whose page cannot be decoded. It is permanent.
const ErrDamaged = reason.PageUnreadable

// Limits of an archive. The parts of a message are read one after another, and only one of them is kept.
const (
	maxHeader = 64 << 10 // bytes of the header of the message
	maxNested = 4        // messages within each other
)

// Matches reports whether a file that begins with head is an archive with a page in HTML. Mails, which have recipients,
// are not.
func Matches(head []byte) bool {
	header, parameters, body := message(head)
	if header.Get("To") != "" || header.Get("Received") != "" {
		return false
	}
	delete(parameters, "start") // it may follow
	return isHTML(parameters["type"]) || root(context.Background(), body, parameters, 0) != nil
}

func isHTML(media string) bool { return media == "text/html" || media == "application/xhtml+xml" }

// Page is the page in an archive.
type Page struct {
	Data        []byte   // HTML in any charset
	ContentType string   // may state the charset
	URL         *url.URL // its own URL, or nil
}

// Read returns the page in an archive: the part that the archive names as its start, or else the first part in HTML. It
// returns nil if data is not an archive with such a part, ErrDamaged, and the errors of ctx. It uses memory for the page,
// not for the other parts.
func Read(ctx context.Context, data []byte) (*Page, error) {
	_, parameters, body := message(data)
	part := root(ctx, body, parameters, 0)
	if part == nil && parameters["start"] != "" { // the message has no such part
		_, parameters, body = message(data)
		delete(parameters, "start")
		part = root(ctx, body, parameters, 0)
	}
	if part == nil {
		return nil, context.Cause(ctx)
	}
	var decoded io.Reader = part
	switch strings.ToLower(strings.TrimSpace(part.Header.Get("Content-Transfer-Encoding"))) {
	case "quoted-printable":
		decoded = quotedprintable.NewReader(part)
	case "base64":
		decoded = base64.NewDecoder(base64.StdEncoding, part)
	}
	page := &Page{ContentType: part.Header.Get("Content-Type")}
	var err error
	if page.Data, err = io.ReadAll(decoded); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // the end may be missing
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if address, err := url.Parse(part.Header.Get("Content-Location")); err == nil && address.IsAbs() {
		page.URL = address
	}
	return page, nil
}

// message returns the header of a MIME message of type multipart/related, the parameters of the type, and a reader of the
// body. It returns no parameters for other data.
func message(data []byte) (header textproto.MIMEHeader, parameters map[string]string, body io.Reader) {
	data = bytes.TrimLeft(data, "\ufeff \t\r\n")
	head := data[:min(len(data), maxHeader)]
	if !bytes.Contains(head, []byte("\n\r\n")) && !bytes.Contains(head, []byte("\n\n")) {
		return nil, nil, nil
	}
	rest := bufio.NewReader(bytes.NewReader(data))
	header, err := textproto.NewReader(rest).ReadMIMEHeader()
	if err != nil {
		return nil, nil, nil
	}
	media, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || media != Type {
		return nil, nil, nil
	}
	return header, parameters, rest
}

// root returns the first part of a message that is HTML and that is the start of the message, if it names one. It returns
// nil if there is none.
func root(ctx context.Context, body io.Reader, parameters map[string]string, depth int) *multipart.Part {
	if parameters["boundary"] == "" || depth == maxNested {
		return nil
	}
	parts, start := multipart.NewReader(body, parameters["boundary"]), parameters["start"]
	for ctx.Err() == nil {
		part, err := parts.NextRawPart()
		if err != nil {
			return nil // the end, or the rest is damaged
		}
		media, inner, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
		switch {
		case err != nil:
		case isHTML(media) && (start == "" || start == part.Header.Get("Content-ID")):
			return part
		case strings.HasPrefix(media, "multipart/"):
			if found := root(ctx, part, inner, depth+1); found != nil {
				return found
			}
		}
	}
	return nil
}
