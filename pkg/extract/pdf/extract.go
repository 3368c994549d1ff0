package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/assay-project/assay/pkg/extract/wasm"
)

// maxUnreadable is the maximum number of pages of a document that may end an instance. Others are then read in a new one.
const maxUnreadable = 5

// Text returns the text of a document as Document.Text does. It counts a page that ends the instance, because the page
// crashes PDFium or exceeds the memory, as unreadable, and continues in a new instance. PDFium keeps parts of pages that it has read, so a page
// that exceeds the memory after others is read again in a new instance first. l.Time bounds all instances
// together; Text then returns the pages that it has read. It returns the errors of Open and of ctx.
func (e *Engine) Text(ctx context.Context, r io.ReaderAt, size int64, l Limits, t TextLimits) (Text, error) {
	var all Text
	bytes, n := t.Bytes, 0
	for {
		d, err := e.Open(ctx, r, size, l)
		if err != nil {
			return all, err
		}
		began := time.Now()
		part, ended := d.Text(t)
		pages := d.Pages()
		if err := d.Close(); err != nil {
			return all, err
		}
		all.add(part)
		t.First += part.Pages
		bounded := l.Time > 0
		l.Time -= time.Since(began)
		switch {
		case ended == nil:
			return all, nil
		case errors.Is(ended, wasm.ErrTime), bounded && l.Time <= 0:
			all.Cut = fmt.Sprintf("only the first %d of %d pages are read; reading more takes longer than allowed", all.Pages, pages)
			return all, nil
		case !errors.Is(ended, wasm.ErrCrashed) && !errors.Is(ended, wasm.ErrMemory):
			return all, ended
		}
		l.Time = max(l.Time, 0)
		if bytes > 0 {
			t.Bytes = max(bytes-all.Length, 1)
		}
		if part.Pages > 0 && errors.Is(ended, wasm.ErrMemory) {
			continue
		}
		n++
		const page = "\f"
		missing := Text{Text: page, Length: len(page), Pages: 1, Unreadable: 1}
		if t.To != nil {
			if _, err := io.WriteString(t.To, page); err != nil {
				return all, err
			}
			missing.Text = ""
		}
		all.add(missing)
		if t.See != nil {
			t.See(t.First, Page{})
		}
		t.First++
		if bytes > 0 {
			t.Bytes = max(bytes-all.Length, 1)
		}
		switch {
		case t.First == pages:
			return all, nil
		case n == maxUnreadable:
			all.Cut = fmt.Sprintf("only the first %d of %d pages are read; too many pages cannot be read", all.Pages, pages)
			return all, nil
		}
	}
}

func (t *Text) add(part Text) {
	t.Text += part.Text
	t.Length += part.Length
	t.Pages += part.Pages
	t.Unreadable += part.Unreadable
	t.Cut = part.Cut
}
