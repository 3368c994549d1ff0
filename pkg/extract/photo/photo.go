// Package photo describes and edits photos offline. It describes a photo by measurements (colors, sharpness, light,
// whether it is a document) and by the faces and objects that it finds. It edits a photo with the instructions of package
// grammar, and reports the parts of a prompt that it did not apply.
//
// The same photo, prompt and options produce the same bytes with the same Version.
package photo

import (
	"context"
	"sync"

	"github.com/assay-project/assay/pkg/extract/photo/cutout"
	"github.com/assay-project/assay/pkg/extract/photo/grammar"
	"github.com/assay-project/assay/pkg/extract/photo/objects"
	"github.com/assay-project/assay/pkg/extract/photo/text"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/reason"
)

// Version changes whenever a result for the same photo, Request and Config changes.
const Version = "5"

// Errors of a prompt. Errors of a photo are those of package pixels.
const (
	ErrNotUnderstood = reason.PromptUnclear
	ErrTooManySteps  = grammar.ErrTooManySteps
)

// Studio describes and edits photos. It is safe for concurrent use.
type Studio struct {
	decoder *pixels.Decoder
	config  Config
	faces   *finder
	objects func() (*objects.Finder, error) // the models and fonts are loaded when first used
	cutter  func() (*cutout.Cutter, error)
	fonts   func() (*text.Fonts, error)
}

// Config configures a Studio.
type Config struct {
	Limits  pixels.Limits
	Objects bool // include objects in descriptions, which takes most of the time
}

// New returns a Studio. The decoder, which the caller must close, bounds the memory of its calls.
func New(decoder *pixels.Decoder, cfg Config) (*Studio, error) {
	faces, err := newFinder()
	if err != nil {
		return nil, err
	}
	return &Studio{
		decoder: decoder, config: cfg, faces: faces,
		objects: sync.OnceValues(objects.New), cutter: sync.OnceValues(cutout.New), fonts: sync.OnceValues(text.Load),
	}, nil
}

// Label names something visible in a photo.
type Label struct {
	Name       string
	Confidence float64 // 0 to 1
}

// Description describes a photo.
type Description struct {
	Labels []Label // by kind and in descending order of confidence
	Text   string  // a sentence or two
}

// Describe describes an encoded photo.
func (s *Studio) Describe(ctx context.Context, photo []byte) (Description, error) {
	limits := s.config.Limits
	if s.config.Objects {
		limits.Beside = objects.Memory
	}
	picture, release, err := s.decoder.Decode(ctx, photo, limits)
	if err != nil {
		return Description{}, err
	}
	defer release()
	var found []objects.Object
	if s.config.Objects {
		finder, err := s.objects()
		if err != nil {
			return Description{}, err
		}
		if found, err = finder.Find(ctx, picture, objects.Confidence); err != nil {
			return Description{}, err
		}
	}
	labels, text := describe(measure(picture), s.faces.find(picture), classes(found), picture.Width(), picture.Height())
	return Description{Labels: labels, Text: text}, nil
}
