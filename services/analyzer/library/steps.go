package library

import (
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
	"github.com/assay-project/assay/services/analyzer/library/step/picture"
	"github.com/assay-project/assay/services/analyzer/library/step/record"
)

// steps returns the implementations of the steps in library.Plans: one for each step of each file type, and
// one with the step "chunk" for each type whose records are processed.
func steps(cfg Config, decoder *pixels.Decoder, pdf *pdf.Engine, svg *svg.Engine, kit *structure.Kit, pages *remote.Fetcher, converter *convert.Converter) map[task]step.Step {
	office := document.Office{Converter: converter, PDF: pdf, Decoder: decoder, Pixels: cfg.Pixels}
	all := map[task]step.Step{
		{"Generic", library.StepMetadata}: generic.Metadata(),
		{"Image", library.StepMetadata}:   picture.Metadata(),
		{"Image", library.StepThumbnails}: picture.Thumbnails(decoder, svg, cfg.Pixels),

		{"Pdf", library.StepMetadata}:   document.PDFMetadata(pdf),
		{"Pdf", library.StepText}:       document.PDFText(pdf),
		{"Pdf", library.StepThumbnails}: document.PDFThumbnails(pdf),

		{"Office", library.StepMetadata}:   document.OfficeMetadata(),
		{"Office", library.StepText}:       office.Text(),
		{"Office", library.StepThumbnails}: office.Thumbnails(),

		{"WebPage", library.StepMetadata}:   generic.Metadata(),
		{"WebPage", library.StepText}:       document.PageText(),
		{"WebPage", library.StepThumbnails}: document.PageThumbnails(pages, decoder, cfg.Pixels),

		{"Text", library.StepMetadata}: generic.Metadata(),
		{"Text", library.StepText}:     document.PlainText(),

		{"Office", library.StepRecords}: record.Workbook(),

		{"Table", library.StepMetadata}: generic.Metadata(),
		{"Table", library.StepParse}:    record.ParseTable(),
		{"Table", library.StepText}:     record.TableText(),

		{"Microscopy", library.StepMetadata}:   picture.MicroscopyMetadata(),
		{"Microscopy", library.StepThumbnails}: picture.Thumbnails(decoder, svg, cfg.Pixels),
	}
	for _, kind := range []string{"Chemical", "Reaction", "Crystal", "Spectrum"} {
		all[task{kind, library.StepMetadata}] = generic.Metadata()
		all[task{kind, library.StepParse}] = record.Parse()
		all[task{kind, stepChunk}] = record.Chunk(kit)
		all[task{kind, library.StepText}] = record.Text()
		all[task{kind, library.StepThumbnails}] = record.Thumbnails(svg, kit)
	}
	return all
}

// stepChunk stands for all steps library.ChunkStep in this table.
const stepChunk = "chunk"
