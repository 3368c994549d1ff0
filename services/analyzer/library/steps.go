package library

import (
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/library/step/generic"
	"github.com/assay-project/assay/services/analyzer/library/step/picture"
	"github.com/assay-project/assay/services/analyzer/pixels"
)

// steps lists what does the steps of library.Plans: a line for each step of each type of file, and one with
// the step "chunk" for a type whose records are processed.
func steps(cfg Config, decoder *pixels.Decoder) map[task]step.Step {
	return map[task]step.Step{
		{"Generic", library.StepMetadata}: generic.Metadata(),
		{"Image", library.StepMetadata}:   picture.Metadata(),
		{"Image", library.StepThumbnails}: picture.Thumbnails(decoder, cfg.Pixels),
	}
}
