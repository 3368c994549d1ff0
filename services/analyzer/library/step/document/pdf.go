package document

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"image"
	"io"
	"math"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/extract/pdf"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/library/step/picture"
)

// longestSide is the length of the longer side of the picture of a page, in pixels.
const longestSide = 1200

// PDFText returns the step that stores the text of a PDF, with the values of its forms and its annotations.
func PDFText(e *pdf.Engine) step.Step {
	return step.Step{Time: step.AttemptTime, Rate: step.ReadRate, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		data, err := f.Load(ctx, maxBytes)
		if err != nil {
			return step.Result{}, err
		}
		return pdfText(ctx, e, f, data, pdf.Version)
	}}
}

// pdfText stores the text of a PDF as the text of the file. The step is partial if pages cannot be read.
func pdfText(ctx context.Context, e *pdf.Engine, f *step.File, data []byte, engine string) (step.Result, error) {
	limits := pdf.Limits{Time: step.ReadTime + time.Duration(f.Size/step.ReadRate)*time.Second}
	var (
		positions *library.PositionsWriter
		read      pdf.Text
	)
	t, key, err := stream(ctx, f, func(to io.Writer) (err error) {
		positions = library.NewPositionsWriter()
		read, err = e.Text(ctx, bytes.NewReader(data), int64(len(data)), limits, pdf.TextLimits{
			Bytes: library.MaxText, To: to, See: func(n int, p pdf.Page) {
				if len(p.Runs) > 0 {
					positions.Add(n+1, positionsOf(p))
				}
			},
		})
		return err
	})
	if err != nil {
		return step.Result{}, err
	}
	if err := storePositions(ctx, f, positions); err != nil {
		return step.Result{}, err
	}
	var partial error
	if read.Unreadable > 0 {
		partial = reason.PagesUnreadable.Fill(read.Unreadable, read.Pages)
		read.Cut = cmp.Or(read.Cut, partial.Error())
	}
	r := t.stored(engine, key, read.Cut, nil)
	if partial != nil {
		r.Partial, r.Skipped = partial, nil
	}
	return r, nil
}

// positionsOf returns the positions of the words of a page.
func positionsOf(p pdf.Page) library.Positions {
	all := library.Positions{Width: p.Width, Height: p.Height, Words: make([]library.PlacedWords, len(p.Runs))}
	scaled := func(v float64) int { return int(math.Round(v * library.PositionScale)) }
	for i, r := range p.Runs {
		all.Words[i].Text = r.Text
		if r.Box != (pdf.Box{}) {
			all.Words[i].Box = &[4]int{scaled(r.Box.Left), scaled(r.Box.Top), scaled(r.Box.Right), scaled(r.Box.Bottom)}
		}
	}
	return all
}

// storePositions stores the positions of words, if there are any.
func storePositions(ctx context.Context, f *step.File, w *library.PositionsWriter) error {
	result, err := w.Bytes()
	if err != nil || result == nil {
		return err
	}
	_, err = f.Store(ctx, library.PositionsName, "application/zip", result)
	return err
}

// PDFThumbnails returns the step that stores the thumbnails of the first page of a PDF.
func PDFThumbnails(e *pdf.Engine) step.Step {
	return step.Step{Time: step.AttemptTime, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		data, err := f.Load(ctx, maxBytes)
		if err != nil {
			return step.Result{}, err
		}
		return pdfThumbnails(ctx, e, f, data, pdf.Version)
	}}
}

// pdfThumbnails stores the thumbnails of the first page of a PDF as those of the file. It skips a page that is blank
// although it has text.
func pdfThumbnails(ctx context.Context, e *pdf.Engine, f *step.File, data []byte, engine string) (_ step.Result, err error) {
	d, err := e.Open(ctx, bytes.NewReader(data), int64(len(data)), pdf.Limits{Time: step.DrawTime})
	if err != nil {
		return step.Result{}, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	m, err := d.Picture(0, longestSide)
	if err != nil {
		return step.Result{}, err
	}
	if blank(m) {
		if shown, err := d.HasCharacters(0); err != nil || shown {
			return step.Result{Engine: engine, Skipped: reason.PageBlank}, err
		}
	}
	images, err := picture.Draw(ctx, f, pixels.New(m), pixels.PNG)
	return step.Result{Engine: engine, Images: images}, err
}

// blank reports whether all pixels of a picture are white.
func blank(m *image.NRGBA) bool {
	return !slices.ContainsFunc(m.Pix, func(v uint8) bool { return v != 0xff })
}

// PDFMetadata returns the step that sets the metadata and the number of pages of a PDF.
func PDFMetadata(e *pdf.Engine) step.Step {
	return metadata(pdf.Version, func(ctx context.Context, data []byte, found map[string]any) (err error) {
		d, err := e.Open(ctx, bytes.NewReader(data), int64(len(data)), pdf.Limits{Time: step.DrawTime})
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
		put(found, "attachments", len(m.Attachments))
		if names := slices.DeleteFunc(m.Attachments, func(name string) bool { return name == "" }); len(names) > 0 {
			found["attachmentNames"] = names
		}
		return nil
	})
}
