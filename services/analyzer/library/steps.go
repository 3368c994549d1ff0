package library

import (
	"strings"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/convert"
	"github.com/assay-project/assay/pkg/extract/pdf"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/structure"
	"github.com/assay-project/assay/pkg/extract/svg"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/analyzer/library/remote"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/library/step/document"
	"github.com/assay-project/assay/services/analyzer/library/step/generic"
	"github.com/assay-project/assay/services/analyzer/library/step/model"
	"github.com/assay-project/assay/services/analyzer/library/step/picture"
	"github.com/assay-project/assay/services/analyzer/library/step/record"
)

// steps contains the implementations of the steps of all types of files.
type steps struct {
	methods   map[extract.Method]step.Step
	chunk     step.Step // of all steps library.ChunkStep of files
	predicted step.Step // of all steps library.ChunkStep of predictions
}

func newSteps(cfg Config, decoder *pixels.Decoder, pdf *pdf.Engine, svg *svg.Engine, kit *structure.Kit, pages *remote.Fetcher, converter *convert.Converter, models model.Environment) steps {
	office := document.Office{Converter: converter, PDF: pdf, Decoder: decoder, Pixels: cfg.Pixels}
	predictions := &model.Predictions{Environment: models}
	return steps{
		chunk: record.Chunk(kit), predicted: predictions.Chunk(),
		methods: map[extract.Method]step.Step{
			extract.Digests:           generic.Metadata(),
			extract.PictureTags:       picture.Metadata(),
			extract.PictureThumbnails: picture.Thumbnails(decoder, svg, cfg.Pixels),
			extract.MicroscopyHeader:  picture.MicroscopyMetadata(),

			extract.PDFProperties: document.PDFMetadata(pdf),
			extract.PDFText:       document.PDFText(pdf),
			extract.PDFThumbnails: document.PDFThumbnails(pdf),

			extract.OfficeProperties: document.OfficeMetadata(),
			extract.OfficeText:       office.Text(),
			extract.OfficeThumbnails: office.Thumbnails(),
			extract.WorkbookRows:     record.Workbook(kit),

			extract.PageText:    document.PageText(),
			extract.PagePicture: document.PageThumbnails(pages, decoder, cfg.Pixels),
			extract.PlainText:   document.PlainText(),

			extract.TableRows: record.ParseTable(kit),
			extract.TableText: record.TableText(),

			extract.RecordBoundaries: record.Parse(),
			extract.RecordText:       record.Text(),
			extract.RecordThumbnails: record.Thumbnails(svg, kit),

			library.Optimization: models.Optimize(),
			library.Training:     models.Train(),
			library.Reporting:    models.Report(),
			library.Predicting:   predictions.Parse(),
		},
	}
}

// of returns the implementation of the step of an event. ok is false if this version does not know the type or the step.
func (s steps) of(e *event.LibraryStep) (implementation step.Step, ok bool) {
	f := library.FormatOf(extract.Type(e.Type))
	if f.Type != extract.Type(e.Type) {
		return step.Step{}, false
	}
	if strings.Contains(e.Step, "/") {
		if f.Type == library.PredictionType {
			return s.predicted, true
		}
		return s.chunk, len(f.Records) > 0
	}
	for _, planned := range f.Steps {
		if planned.Name == e.Step {
			implementation, ok = s.methods[planned.Method]
		}
	}
	return implementation, ok
}
