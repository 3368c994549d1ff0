package document

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/extract/webpage"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/library/remote"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/library/step/picture"
)

func readPage(ctx context.Context, f *step.File) (*webpage.Page, error) {
	data, err := f.Load(ctx, library.MaxPage)
	if err != nil {
		return nil, err
	}
	var address *url.URL
	if f.Origin != "" {
		if address, err = url.Parse(f.Origin); err != nil {
			return nil, fmt.Errorf("%w: %w", webpage.ErrDamaged, err)
		}
	}
	ctx, cancel := wasm.WithTime(ctx, step.ReadTime)
	defer cancel()
	p, err := webpage.Read(ctx, data, f.ContentType, address, webpage.Limits{Text: library.MaxText})
	return p, err
}

// pageMemory returns the maximum memory for reading a page, including its bytes.
func pageMemory(f *step.File) int64 {
	size := min(f.Size, library.MaxPage) // a larger page is rejected
	return size + webpage.Memory(size)
}

// pageImage returns the address of the picture that a page specifies, or "".
func pageImage(ctx context.Context, f *step.File) (string, error) {
	release, err := f.Reserve(ctx, pageMemory(f))
	if err != nil {
		return "", err
	}
	defer release()
	p, err := readPage(ctx, f)
	if err != nil {
		return "", err
	}
	return p.Image, nil
}

// PageText returns the step that stores the text of a web page, its article as HTML, and the metadata of the page.
func PageText() step.Step {
	return step.Step{Time: step.AttemptTime, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		release, err := f.Reserve(ctx, pageMemory(f))
		if err != nil {
			return step.Result{}, err
		}
		defer release()
		p, err := readPage(ctx, f)
		if err != nil {
			return step.Result{}, err
		}
		if _, err := f.Store(ctx, library.ReaderName, "text/html; charset=utf-8", []byte(p.HTML)); err != nil {
			return step.Result{}, err
		}
		t, key, err := stream(ctx, f, func(to io.Writer) error {
			_, err := io.WriteString(to, p.Text)
			return err
		})
		if err != nil {
			return step.Result{}, err
		}
		r := t.stored(webpage.Engine(), key, p.Cut, withoutText(p))
		maps.Copy(r.Metadata, step.Decoding(p.Charset))
		for name, value := range map[string]string{
			"title": p.Title, "byline": p.Byline, "site": p.Site, "excerpt": p.Excerpt, "language": p.Language, "image": p.Image,
		} {
			put(r.Metadata, name, value)
		}
		put(r.Metadata, "address", f.Origin)
		put(r.Metadata, "published", p.Published)
		put(r.Metadata, "article", p.Article)
		return r, nil
	}}
}

// withoutText returns the reason why a page has no text.
func withoutText(p *webpage.Page) error {
	switch {
	case p.Refresh != "":
		return reason.PageRefers.Fill(p.Refresh)
	case p.Scripts:
		return reason.NoScripts
	}
	return reason.NoDisplayedText
}

// PageThumbnails returns the step that stores the thumbnails of the picture that an imported page specifies. The
// pictures of an uploaded page are not fetched, because requests would reveal the upload to their servers.
func PageThumbnails(pages *remote.Fetcher, decoder *pixels.Decoder, most int64) step.Step {
	return step.Step{Time: step.AttemptTime, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		if f.Origin == "" {
			return step.Result{Skipped: reason.UploadedPage}, nil
		}
		address, err := pageImage(ctx, f)
		if err != nil {
			return step.Result{}, err
		}
		if address == "" {
			return step.Result{Skipped: reason.NoPagePicture}, nil
		}
		fetched, err := pages.Get(ctx, address)
		if err != nil {
			return step.Result{}, err
		}
		return thumbnails(ctx, f, decoder, fetched.Body, webpage.Engine(), pixels.Limits{Bytes: library.MaxPage, Pixels: most})
	}}
}

// thumbnails stores the thumbnails of a picture that a document embeds or links to. It skips the step if the
// picture cannot be read.
func thumbnails(ctx context.Context, f *step.File, decoder *pixels.Decoder, data []byte, engine string, limits pixels.Limits) (step.Result, error) {
	info, err := pixels.Inspect(data, limits)
	if err != nil {
		return step.Result{Skipped: fmt.Errorf("%w: %w", reason.PreviewUnreadable, err)}, nil
	}
	p, release, err := decoder.Decode(ctx, data, limits)
	if errors.Is(err, pixels.ErrUnreadable) {
		return step.Result{Skipped: fmt.Errorf("%w: %w", reason.PreviewUnreadable, err)}, nil
	}
	if err != nil {
		return step.Result{}, err
	}
	defer release()
	images, err := picture.Draw(ctx, f, p, info.Format)
	return step.Result{Engine: engine, Images: images}, err
}
