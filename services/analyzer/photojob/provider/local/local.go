package local

import (
	"context"
	"errors"
	"sync"

	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/local/cutout"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/local/grammar"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/local/objects"
	"github.com/assay-project/assay/services/analyzer/pixels"
)

// Version changes whenever the result of the same call, with the same Config, changes.
const Version = "local-3"

// Provider implements provider.Provider.
type Provider struct {
	decoder *pixels.Decoder
	config  Config
	faces   *finder
	objects func() (*objects.Finder, error) // the models are loaded when first used
	cutter  func() (*cutout.Cutter, error)
}

// Config configures a Provider.
type Config struct {
	Limits  pixels.Limits
	Objects bool // include objects in descriptions, which takes most of the time
}

// New returns a Provider. The decoder, which the caller must close, bounds the memory of its calls.
func New(decoder *pixels.Decoder, cfg Config) (*Provider, error) {
	faces, err := newFinder()
	if err != nil {
		return nil, err
	}
	return &Provider{decoder: decoder, config: cfg, faces: faces, objects: sync.OnceValues(objects.New), cutter: sync.OnceValues(cutout.New)}, nil
}

// Limits returns the limits of package pixels, for all formats that it reads.
func (p *Provider) Limits(provider.Step) provider.Limits {
	return provider.Limits{
		Bytes: p.config.Limits.Bytes, Longest: p.config.Limits.Longest,
		Formats: []string{pixels.JPEG.MediaType(), pixels.PNG.MediaType(), pixels.WebP.MediaType(), pixels.HEIC.MediaType()},
	}
}

// Check returns nil: the provider has no dependencies.
func (p *Provider) Check(context.Context) error { return nil }

// Analyze describes the photo. It ignores the prompt.
func (p *Provider) Analyze(ctx context.Context, c provider.Call) (provider.Analysis, provider.Usage, error) {
	limits := p.config.Limits
	if p.config.Objects {
		limits.Beside = objects.Memory
	}
	picture, release, err := p.decoder.Decode(ctx, c.Image, limits)
	if err != nil {
		return provider.Analysis{}, usage, failed(ctx, err)
	}
	defer release()
	var found []objects.Object
	if p.config.Objects {
		if found, err = p.find(ctx, picture); err != nil {
			return provider.Analysis{}, usage, failed(ctx, err)
		}
	}
	labels, description := describe(measure(picture), p.faces.find(picture), classes(found), picture.Width(), picture.Height())
	return provider.Analysis{Labels: labels, Description: description}, usage, nil
}

// find returns the objects for the description.
func (p *Provider) find(ctx context.Context, picture *pixels.Picture) ([]objects.Object, error) {
	finder, err := p.objects()
	if err != nil {
		return nil, err
	}
	return finder.Find(ctx, picture, objects.Confidence)
}

// usage is the usage of every call. Calls are free of charge.
var usage = provider.Usage{Model: Version}

// failed classifies an error of package pixels or grammar. If ctx is done, it returns the cause.
func failed(ctx context.Context, err error) error {
	code := ""
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, pixels.ErrTooLarge):
		code = provider.ImageTooLarge
	case errors.Is(err, pixels.ErrFormat), errors.Is(err, pixels.ErrAnimated):
		code = provider.UnsupportedFormat
	case errors.Is(err, pixels.ErrUnreadable), errors.Is(err, pixels.ErrTooSmall):
		code = provider.ImageUnreadable
	case errors.Is(err, errNotUnderstood), errors.Is(err, grammar.ErrTooManySteps):
		code = provider.PromptNotUnderstood
	default:
		return &provider.Error{Class: provider.Internal, Code: provider.InternalError, Billed: provider.NotBilled, Err: err}
	}
	return &provider.Error{Class: provider.Permanent, Code: code, Billed: provider.NotBilled, Err: err}
}
