// Package photo describes and edits photos offline. It describes a photo by measurements (colors, sharpness, light,
// whether it is a document) and by the faces that it finds. It edits a photo with the instructions of package
// grammar, and reports the parts of a prompt that it did not apply.
//
// The same photo, prompt and options produce the same bytes with the same Version.
package photo

import (
	"context"
	"image"
	"sync"

	"github.com/assay-project/assay/pkg/extract/lookalike"
	"github.com/assay-project/assay/pkg/extract/photo/cutout"
	"github.com/assay-project/assay/pkg/extract/photo/faces"
	"github.com/assay-project/assay/pkg/extract/photo/grammar"
	"github.com/assay-project/assay/pkg/extract/photo/text"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/reason"
)

// Version changes whenever a result for the same photo, Request and Config changes.
const Version = "6"

// Errors of a prompt. Errors of a photo are those of package pixels.
const (
	ErrNotUnderstood = reason.PromptUnclear
	ErrTooManySteps  = grammar.ErrTooManySteps
)

// Studio describes and edits photos. It is safe for concurrent use.
type Studio struct {
	decoder *pixels.Decoder
	config  Config
	faces   func() (*faces.Finder, error) // the models and fonts are loaded when first used
	cutter  func() (*cutout.Cutter, error)
	fonts   func() (*text.Fonts, error)
}

// Config configures a Studio.
type Config struct {
	Limits pixels.Limits
	Faces  bool // include faces in descriptions, which takes a large part of the time
}

// New returns a Studio. The decoder, which the caller must close, bounds the memory of its calls.
func New(decoder *pixels.Decoder, cfg Config) *Studio {
	return &Studio{
		decoder: decoder, config: cfg, faces: sync.OnceValues(faces.New), cutter: sync.OnceValues(cutout.New), fonts: sync.OnceValues(text.Load),
	}
}

// Notice returns the license texts of the models, which must be distributed with them.
func Notice() string { return faces.Notice() + "\n" + cutout.Notice() }

// Label names something visible in a photo.
type Label struct {
	Name       string
	Confidence float64 // 0 to 1
}

// Description describes a photo.
type Description struct {
	Labels []Label // by kind and in descending order of confidence
	Text   string  // a sentence
	Hash   string  // of package lookalike; empty if the photo is almost of a single color
}

// Describe describes an encoded photo. If it is tolerant, it describes what can be read of a truncated one.
func (s *Studio) Describe(ctx context.Context, photo []byte, tolerant bool) (Description, error) {
	limits := s.config.Limits
	limits.Tolerant = tolerant
	limits.Box = image.Pt(factSide, factSide)
	if s.config.Faces {
		limits.Beside = faces.Memory
	}
	picture, release, err := s.decoder.Decode(ctx, photo, limits)
	if err != nil {
		return Description{}, err
	}
	defer release()
	picture.Fit(factSide, factSide) // enough for everything that a description states
	var found []faces.Face
	if s.config.Faces {
		finder, err := s.faces()
		if err != nil {
			return Description{}, err
		}
		if found, err = finder.Find(ctx, picture, faces.Sure); err != nil {
			return Description{}, err
		}
	}
	labels, text := describe(measure(picture), found, picture.Width(), picture.Height())
	d := Description{Labels: labels, Text: text}
	if hash, ok := lookalike.Of(picture); ok {
		d.Hash = hash.String()
	}
	return d, nil
}
