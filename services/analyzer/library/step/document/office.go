package document

import (
	"bytes"
	"context"
	"time"

	"github.com/assay-project/assay/services/analyzer/library/office"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/pixels"
)

const officeEngine = "office 1"

// noText says why there is no text of a document.
const noText = "the text of documents in formats before Office 2007, and of RTF, is not read"

func readOffice(ctx context.Context, f *step.File) (*office.Document, error) {
	data, err := f.Load(ctx, maxBytes)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(data, []byte(`{\rtf`)) {
		return &office.Document{Format: "rtf"}, nil
	}
	d, err := office.Read(ctx, bytes.NewReader(data), int64(len(data)), office.Limits{Text: maxText})
	return d, judged(err)
}

// OfficeText returns the step that stores the text of an office document.
func OfficeText() step.Step {
	return step.Step{Time: textTime, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		d, err := readOffice(ctx, f)
		if err != nil {
			return step.Result{}, err
		}
		switch d.Format {
		case "doc", "xls", "ppt", "rtf":
			return step.Result{Skipped: noText}, nil
		}
		return text(ctx, f, officeEngine, d.Text, d.Cut)
	}}
}

// OfficeThumbnails returns the step that stores the thumbnails of the picture that an office
// document brings of itself. A document without one is skipped.
func OfficeThumbnails(decoder *pixels.Decoder, most int64) step.Step {
	return step.Step{Time: time.Minute, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		d, err := readOffice(ctx, f)
		if err != nil {
			return step.Result{}, err
		}
		if len(d.Thumbnail) == 0 {
			return step.Result{Skipped: "the document brings no picture of itself"}, nil
		}
		return thumbnails(ctx, f, decoder, d.Thumbnail, officeEngine, pixels.Limits{Bytes: 4 << 20, Pixels: most})
	}}
}

// OfficeMetadata returns the step that says what an office document says of itself.
func OfficeMetadata() step.Step {
	return metadata(officeEngine, func(ctx context.Context, data []byte, found map[string]any) error {
		d, err := office.Read(ctx, bytes.NewReader(data), int64(len(data)), office.Limits{Text: 1})
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
