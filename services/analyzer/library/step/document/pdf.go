package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/engines/pdfium"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/library/step/picture"
	"github.com/assay-project/assay/services/analyzer/pixels"
)

const (
	pdfEngine = "pdfium 2.1.13"
	// longestSide is the longer side of the picture of a page, in pixels.
	longestSide = 1200
)

// open opens the document of a step. The caller closes it.
func open(ctx context.Context, e *pdfium.Engine, f *step.File) (*pdfium.Document, error) {
	data, err := f.Load(ctx, maxBytes)
	if err != nil {
		return nil, err
	}
	d, err := e.Open(ctx, bytes.NewReader(data), int64(len(data)), 0)
	return d, judged(err)
}

// PDFText returns the step that stores the text of a PDF, with the values of its forms.
func PDFText(e *pdfium.Engine) step.Step {
	return step.Step{Time: textTime, Run: func(ctx context.Context, f *step.File) (_ step.Result, err error) {
		d, err := open(ctx, e, f)
		if err != nil {
			return step.Result{}, err
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		t, err := d.Text(pdfium.TextLimits{Bytes: maxText})
		if err != nil {
			return step.Result{}, judged(err)
		}
		if t.Unreadable > 0 && t.Cut == "" {
			t.Cut = fmt.Sprintf("%d of %d pages cannot be read", t.Unreadable, t.Pages)
		}
		return text(ctx, f, pdfEngine, t.Text, t.Cut)
	}}
}

// PDFThumbnails returns the step that stores the thumbnails of the first page of a PDF.
func PDFThumbnails(e *pdfium.Engine) step.Step {
	return step.Step{Time: time.Minute, Run: func(ctx context.Context, f *step.File) (_ step.Result, err error) {
		d, err := open(ctx, e, f)
		if err != nil {
			return step.Result{}, err
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		m, err := d.Picture(0, longestSide)
		if err != nil {
			return step.Result{}, judged(err)
		}
		images, err := picture.Draw(ctx, f, pixels.New(m), pixels.PNG)
		return step.Result{Engine: pdfEngine, Images: images}, err
	}}
}

// PDFMetadata returns the step that says what a PDF says of itself, and how many pages it has.
func PDFMetadata(e *pdfium.Engine) step.Step {
	return metadata(pdfEngine, func(ctx context.Context, data []byte, found map[string]any) (err error) {
		d, err := e.Open(ctx, bytes.NewReader(data), int64(len(data)), 0)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		m, err := d.Metadata()
		if err != nil {
			return err
		}
		found["pages"] = d.Pages()
		for name, value := range map[string]string{
			"title": m.Title, "author": m.Author, "subject": m.Subject, "keywords": m.Keywords,
			"creator": m.Creator, "producer": m.Producer, "version": m.Version, "form": m.Form,
		} {
			put(found, name, value)
		}
		put(found, "created", m.Created)
		put(found, "modified", m.Modified)
		put(found, "encrypted", m.Encrypted)
		put(found, "tagged", m.Tagged)
		put(found, "signatures", m.Signatures)
		put(found, "attachments", m.Attachments)
		return nil
	})
}
