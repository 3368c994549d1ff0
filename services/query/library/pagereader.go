package library

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"io"
	"strings"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/query/search"
)

const (
	// pageWindow is the number of bytes of a page that are searched at a time: more than the text of a document has.
	pageWindow = 9 << 20
	// pageOverlap is the number of bytes before the next part of a longer page that are searched again, for phrases.
	pageOverlap = 64 << 10
	// pageHead is the number of bytes at the beginning of a page that contain the name of a sheet.
	pageHead = 4 << 10
)

// pageReader keeps a page of the text that is written to it. Of a page that is longer than pageWindow, it keeps the part with the first match.
type pageReader struct {
	page  int // the first page is 1
	asked search.Terms

	ends    int  // form feeds so far
	within  bool // the last byte was not a form feed
	head    []byte
	text    []byte
	cut     bool // text is a part of the page
	matches bool // text is long enough, and has a match
}

// read reads the text of a run of a file. It returns blob.ErrNotFound if there is none.
func (p *pageReader) read(ctx context.Context, a *Area, file library.File) error {
	body, err := a.bucket.Open(ctx, library.ResultKey(file.ID, file.Run, library.TextName), "")
	if err != nil {
		return err
	}
	defer body.Close()
	unpacked, err := gzip.NewReader(body)
	if err == nil {
		_, err = io.Copy(p, unpacked)
	}
	return err
}

// Write returns no error.
func (p *pageReader) Write(text []byte) (int, error) {
	for rest := text; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte{'\f'})
		if p.ends+1 == p.page {
			p.add(part)
		}
		if p.within = !ended; ended {
			p.ends++
		}
		rest = after
	}
	return len(text), nil
}

// add adds a part of the page.
func (p *pageReader) add(part []byte) {
	p.head = append(p.head, part[:min(len(part), pageHead-len(p.head))]...)
	if p.matches {
		return
	}
	if p.text = append(p.text, part...); len(p.text) < pageWindow {
		return
	}
	if p.cut, p.matches = true, len(search.Mark(string(p.text), p.asked)) > 0; !p.matches {
		p.text = append(p.text[:0], p.text[len(p.text)-pageOverlap:]...)
	}
}

// pages returns the number of pages of the text. An empty text has one.
func (p *pageReader) pages() int {
	if p.within || p.ends == 0 {
		return p.ends + 1
	}
	return p.ends
}

// place returns the place of the page in a text with pages of a type. It is the zero Place in a text without pages.
func (p *pageReader) place(pageType string) search.Place {
	if p.ends == 0 && pageType == "" {
		return search.Place{}
	}
	at := search.PlaceOf(string(p.head), cmp.Or(pageType, search.PagePlain))
	at.Page = p.page
	return at
}

// String returns the text of the page, or a part of it if cut.
func (p *pageReader) String() string { return strings.ToValidUTF8(string(p.text), "") }
