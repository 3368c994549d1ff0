package document

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/assay-project/assay/pkg/extract/convert"
	"github.com/assay-project/assay/pkg/extract/office"
	"github.com/assay-project/assay/pkg/extract/pdf"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

const (
	officeEngine  = "office 1"
	convertEngine = "converter, " + pdf.Version
)

// Office reads office documents. If there is a converter, it converts documents whose text it cannot read, or
// that have no picture, to PDF.
type Office struct {
	Converter *convert.Converter
	PDF       *pdf.Engine
	Decoder   *pixels.Decoder
	Pixels    int64 // the maximum number of pixels of a picture that gets thumbnails
}

// describe returns a document without its text.
func describe(ctx context.Context, data []byte) (*office.Document, error) {
	if bytes.HasPrefix(data, []byte(`{\rtf`)) {
		return &office.Document{Format: "rtf"}, nil
	}
	ctx, cancel := wasm.WithTime(ctx, step.DrawTime)
	defer cancel()
	return office.Read(ctx, bytes.NewReader(data), int64(len(data)), office.Limits{Text: office.NoText})
}

// archived reports whether a document may be one whose text package office reads: an archive, which can be in an encrypted
// document.
func archived(ctx context.Context, data []byte) (format string, is bool, err error) {
	if bytes.HasPrefix(data, []byte("PK")) {
		return "", true, nil
	}
	d, err := describe(ctx, data)
	if err != nil {
		return "", false, err
	}
	switch d.Format {
	case "doc", "xls", "ppt", "rtf":
		return d.Format, false, nil
	}
	return d.Format, true, nil
}

// officeMemory returns the maximum memory for reading a document, including its bytes.
func officeMemory(f *step.File) int64 { return office.Memory(min(f.Size, maxBytes)) }

// Text returns the step that stores the text of an office document. If the converter rejects the document,
// no text is stored, and the step is partial.
func (o Office) Text() step.Step {
	return step.Step{Time: step.AttemptTime + convert.Time, Rate: step.ReadRate, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		release, err := f.Reserve(ctx, officeMemory(f))
		if err != nil {
			return step.Result{}, err
		}
		defer release()
		data, err := f.Load(ctx, maxBytes)
		if err != nil {
			return step.Result{}, err
		}
		format, readable, err := archived(ctx, data)
		if err != nil {
			return step.Result{}, err
		}
		if readable {
			return officeText(ctx, f, data)
		}
		if !o.Converter.On() {
			return step.Result{Skipped: reason.NeedsConverterForText}, nil
		}
		pdf, err := o.Converter.PDF(ctx, format, data)
		if errors.Is(err, convert.ErrRefused) {
			return step.Result{Partial: err, Engine: convertEngine}, nil
		}
		if err != nil {
			return step.Result{}, err
		}
		return pdfText(ctx, o.PDF, f, pdf, convertEngine)
	}}
}

// officeText stores the text of a document, and the numbers that it abbreviates.
func officeText(ctx context.Context, f *step.File, data []byte) (step.Result, error) {
	var d *office.Document
	t, key, err := stream(ctx, f, func(to io.Writer) (err error) {
		ctx, cancel := wasm.WithTime(ctx, step.ReadTime)
		defer cancel()
		d, err = office.Read(ctx, bytes.NewReader(data), int64(len(data)), office.Limits{Text: library.MaxText, To: to})
		return err
	})
	if err != nil {
		return step.Result{}, err
	}
	if len(d.Numbers) > 0 {
		if _, err := f.StoreText(ctx, library.NumbersName, numbers(d.Numbers)); err != nil {
			return step.Result{}, err
		}
	}
	r := t.stored(officeEngine, key, d.Cut, nil)
	put(r.Metadata, library.MetadataNumbers, len(d.Numbers))
	put(r.Metadata, library.MetadataPageType, pageTypes[d.Format])
	return r, nil
}

// pageTypes are the types of pages by format.
var pageTypes = map[string]string{"xlsx": library.PageSheet, "ods": library.PageSheet, "pptx": library.PageSlide, "odp": library.PageSlide}

// numbers returns numbers as the result library.NumbersName.
func numbers(all []office.Number) string {
	var b strings.Builder
	sheet := 0
	for _, n := range all {
		b.WriteString(strings.Repeat("\f", n.Sheet-sheet))
		b.WriteString(n.Digits + "\n")
		sheet = n.Sheet
	}
	return b.String()
}

// Thumbnails returns the step that stores the thumbnails of the picture embedded in an office document. If there
// is none, or it cannot be read, the converter draws the first page.
func (o Office) Thumbnails() step.Step {
	return step.Step{Time: step.AttemptTime + convert.Time, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		release, err := f.Reserve(ctx, officeMemory(f))
		if err != nil {
			return step.Result{}, err
		}
		data, err := f.Load(ctx, maxBytes)
		var d *office.Document
		if err == nil {
			d, err = describe(ctx, data)
		}
		release() // before a picture is decoded
		if err != nil {
			return step.Result{}, err
		}
		r := step.Result{Skipped: reason.NeedsConverterForPicture}
		if len(d.Thumbnail) > 0 {
			if r, err = thumbnails(ctx, f, o.Decoder, d.Thumbnail, officeEngine, pixels.Limits{Bytes: 4 << 20, Pixels: o.Pixels}); err != nil {
				return step.Result{}, err
			}
		}
		if r.Skipped == nil || !o.Converter.On() {
			return r, nil
		}
		pdf, err := o.Converter.PDF(ctx, d.Format, data)
		if err != nil {
			return step.Result{}, err
		}
		return pdfThumbnails(ctx, o.PDF, f, pdf, convertEngine)
	}}
}

// OfficeMetadata returns the step that sets the properties of an office document.
func OfficeMetadata() step.Step {
	return metadata(officeEngine, func(ctx context.Context, data []byte, found map[string]any) error {
		ctx, cancel := wasm.WithTime(ctx, step.DrawTime)
		defer cancel()
		d, err := office.Read(ctx, bytes.NewReader(data), int64(len(data)), office.Limits{Text: office.NoText})
		if err != nil {
			return err
		}
		p := d.Properties
		for name, value := range map[string]string{
			"format": d.Format, "title": p.Title, "subject": p.Subject, "keywords": p.Keywords, "description": p.Description, "category": p.Category,
			"language": p.Language, "author": p.Author, "modifiedBy": p.ModifiedBy, "company": p.Company, "application": p.Application,
		} {
			put(found, name, value)
		}
		put(found, "created", p.Created)
		put(found, "modified", p.Modified)
		put(found, "pages", p.Pages)
		put(found, "words", p.Words)
		put(found, "slides", p.Slides)
		return nil
	})
}
