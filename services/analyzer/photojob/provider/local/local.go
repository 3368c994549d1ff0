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

// Version changes whenever an answer to the same call does.
const Version = "local-3"

// Provider implements provider.Provider.
type Provider struct {
	decoder *pixels.Decoder
	limits  pixels.Limits
	faces   *finder
	objects func() (*objects.Finder, error) // models are loaded when the first photo needs them
	cutter  func() (*cutout.Cutter, error)
}

// New returns the provider. The decoder bounds the memory of its calls, and is the
// caller's to close.
func New(decoder *pixels.Decoder, limits pixels.Limits) (*Provider, error) {
	faces, err := newFinder()
	if err != nil {
		return nil, err
	}
	return &Provider{decoder: decoder, limits: limits, faces: faces, objects: sync.OnceValues(objects.New), cutter: sync.OnceValues(cutout.New)}, nil
}

// Limits are those of the pixels, in every format that is read.
func (p *Provider) Limits(provider.Step) provider.Limits {
	return provider.Limits{
		Bytes: p.limits.Bytes, Longest: p.limits.Longest,
		Formats: []string{pixels.JPEG.MediaType(), pixels.PNG.MediaType(), pixels.WebP.MediaType(), pixels.HEIC.MediaType()},
	}
}

// Check returns nil: nothing is needed.
func (p *Provider) Check(context.Context) error { return nil }

// Analyze describes the photo. The prompt is not read.
func (p *Provider) Analyze(ctx context.Context, c provider.Call) (provider.Analysis, provider.Usage, error) {
	finder, err := p.objects()
	if err != nil {
		return provider.Analysis{}, usage, failed(ctx, err)
	}
	limits := p.limits
	limits.Beside = objects.Memory
	picture, release, err := p.decoder.Decode(ctx, c.Image, limits)
	if err != nil {
		return provider.Analysis{}, usage, failed(ctx, err)
	}
	defer release()
	found, err := finder.Find(ctx, picture, objects.Confidence)
	if err != nil {
		return provider.Analysis{}, usage, failed(ctx, err)
	}
	labels, description := describe(measure(picture), p.faces.find(picture), classes(found), picture.Width(), picture.Height())
	return provider.Analysis{Labels: labels, Description: description}, usage, nil
}

// usage is that of every call: nothing.
var usage = provider.Usage{Model: Version}

// failed classes an error of the pixels or the grammar. Once the context has ended,
// that is the reason.
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
