package library

import (
	"cmp"
	"compress/gzip"
	"context"
	"io"
	"strings"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/query/search"
)

const (
	// pageWindow is the number of bytes of a page that are searched at a time.
	pageWindow = 9 << 20
	// pageOverlap is the number of bytes before the next part of a longer page that are searched again, for phrases.
	pageOverlap = 64 << 10
	// pageHead is the number of bytes at the beginning of a page that contain the name of a sheet.
	pageHead = 4 << 10
)

// pageReader keeps a page of the text that is written to it. Of a page that is longer than pageWindow, it keeps the part with the first match.
type pageReader struct {
	search.Pages
	asked search.Terms

	head    []byte
	text    []byte
	cut     bool // text is a part of the page
	matches bool // text is long enough, and has a match
}

func newPageReader(page int, asked search.Terms) *pageReader {
	p := &pageReader{asked: asked}
	p.Pages = search.Pages{Page: page, Take: p.add}
	return p
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

// place returns the place of the page in a text with pages of a type. It is the zero Place in a text without pages.
func (p *pageReader) place(pageType string) search.Place {
	if !p.Divided() && pageType == "" {
		return search.Place{}
	}
	at := search.PlaceOf(string(p.head), cmp.Or(pageType, search.PagePlain))
	at.Page = p.Page
	return at
}

// String returns the text of the page, or a part of it if cut.
func (p *pageReader) String() string { return strings.ToValidUTF8(string(p.text), "") }
