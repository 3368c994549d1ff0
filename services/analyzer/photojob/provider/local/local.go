// Package local implements a provider of photo jobs that works offline and free of charge, with package extract/photo. It
// does not rate safety.
package local

import (
	"context"
	"errors"

	"github.com/assay-project/assay/pkg/extract/photo"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
)

// Version changes whenever the result of the same call, with the same configuration, changes.
const Version = "local-" + photo.Version

// Provider implements provider.Provider.
type Provider struct {
	studio *photo.Studio
	limits pixels.Limits
}

// New returns a Provider. The decoder, which the caller must close, bounds the memory of its calls.
func New(decoder *pixels.Decoder, cfg photo.Config) *Provider {
	return &Provider{studio: photo.New(decoder, cfg), limits: cfg.Limits}
}

// Limits returns the limits of package pixels, for all formats that it reads.
func (p *Provider) Limits(provider.Step) provider.Limits {
	return provider.Limits{
		Bytes: p.limits.Bytes, Longest: p.limits.Longest,
		Formats: []string{pixels.JPEG.MediaType(), pixels.PNG.MediaType(), pixels.WebP.MediaType(), pixels.HEIC.MediaType(), pixels.AVIF.MediaType(), pixels.JXL.MediaType(),
			pixels.GIF.MediaType(), pixels.BMP.MediaType(), pixels.TIFF.MediaType(), pixels.Raw.MediaType()},
	}
}

// Check returns nil: the provider has no dependencies.
func (p *Provider) Check(context.Context) error { return nil }

// Analyze describes the photo. It ignores the prompt.
func (p *Provider) Analyze(ctx context.Context, c provider.Call) (provider.Analysis, provider.Usage, error) {
	d, err := p.studio.Describe(ctx, c.Image, c.Options.Tolerant)
	if err != nil {
		return provider.Analysis{}, usage, failed(ctx, err)
	}
	a := provider.Analysis{Description: d.Text}
	for _, l := range d.Labels {
		a.Labels = append(a.Labels, provider.Label(l))
	}
	return a, usage, nil
}

// Edit changes the photo according to its prompt and options.
func (p *Provider) Edit(ctx context.Context, c provider.Call) (provider.Edited, provider.Usage, error) {
	e, err := p.studio.Edit(ctx, c.Image, photo.Request{
		Prompt: c.Prompt, Format: c.Options.Format, Quality: c.Options.Quality,
		Width: c.Options.Width, Height: c.Options.Height, AspectRatio: c.Options.AspectRatio,
		Operations: c.Options.Operations, Tolerant: c.Options.Tolerant, Frames: c.Options.Frames, Colors: c.Options.Colors, Keep: c.Options.Keep,
		Outputs: c.Options.Outputs, Logos: c.Options.Logos,
	})
	if err != nil {
		return provider.Edited{}, usage, failed(ctx, err)
	}
	edited := provider.Edited{Image: e.Image, Format: string(e.Format), Width: e.Width, Height: e.Height, Degraded: e.Degraded}
	for _, o := range e.Outputs {
		edited.Outputs = append(edited.Outputs, provider.Output{Image: o.Image, Format: string(o.Format), Width: o.Width, Height: o.Height})
	}
	return edited, usage, nil
}

// usage is the usage of every call. Calls are free of charge.
var usage = provider.Usage{Model: Version}

// failed classifies an error of package photo. If ctx is done, it returns the cause.
func failed(ctx context.Context, err error) error {
	code := provider.PictureCode(err)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case code != "":
	case errors.Is(err, photo.ErrNotUnderstood), errors.Is(err, photo.ErrTooManySteps):
		code = provider.PromptNotUnderstood
	default:
		return &provider.Error{Class: provider.Internal, Code: provider.InternalError, Billed: provider.NotBilled, Err: err}
	}
	return &provider.Error{Class: provider.Permanent, Code: code, Billed: provider.NotBilled, Err: err}
}
