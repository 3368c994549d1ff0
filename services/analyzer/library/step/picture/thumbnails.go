// Package picture contains the steps for pictures: thumbnails and metadata.
package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/lookalike"
	"github.com/assay-project/assay/pkg/extract/microscopy"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/svg"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

const (
	// maxBytes is the maximum size of a picture that gets thumbnails.
	maxBytes = 128 << 20
	// maxSide is the maximum length of a side of a picture, in pixels.
	maxSide = 1 << 16
	// engine is the name and version of the drawing library.
	engine = "pixels 2"
	// graphics is the ratio of PNG size to JPEG size above which a picture is treated as a photo, not a drawing.
	graphics = 4
)

// sizes lists the lengths of the longer sides of the thumbnails, in pixels. They are also the ids
// of the thumbnails.
var sizes = [...]int{1200, 600, 300}

// Thumbnails returns the step that stores three thumbnails of a picture of at most the given number of
// pixels, upright and without metadata: as JPEG if it is an opaque photo, and as PNG otherwise. SVG is
// drawn at the size of the largest thumbnail. Pictures in unsupported formats are skipped. It sets the metadata
// library.MetadataLookalike.
func Thumbnails(decoder *pixels.Decoder, svg *svg.Engine, most int64) step.Step {
	limits := pixels.Limits{Bytes: maxBytes, Pixels: most, Longest: maxSide, Measured: true}
	return step.Step{Time: step.AttemptTime, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		data, err := f.Load(ctx, maxBytes)
		if err != nil {
			return step.Result{}, err
		}
		info, err := pixels.Inspect(data, limits)
		if errors.Is(err, pixels.ErrFormat) {
			kind := extract.Detect(data, f.Name)
			if kind.MediaType == "image/svg+xml" {
				return drawSVG(ctx, f, svg, data)
			}
			return step.Result{Skipped: reason.NoPicture.Fill(kind.MediaType)}, nil
		}
		if err != nil {
			return undrawn(data, err)
		}
		p, release, err := decoder.Decode(ctx, data, limits)
		if err != nil {
			return undrawn(data, err)
		}
		defer release()
		images, err := Draw(ctx, f, p, info.Format)
		return step.Result{Engine: engine, Images: images, Metadata: lookalikeOf(p)}, err
	}}
}

// undrawn returns the result for a picture that cannot be decoded. The pixels of microscopy files have formats that are not
// for display, so the metadata of such a file is sufficient.
func undrawn(data []byte, err error) (step.Result, error) {
	if _, header := microscopy.Read(bytes.NewReader(data), int64(len(data))); header == nil && reason.Permanent(err) {
		return step.Result{Skipped: fmt.Errorf("%w: %w", reason.MicroscopyPicture, err), Engine: microscopyEngine}, nil
	}
	return step.Result{}, err
}

// drawSVG stores the thumbnails of a drawing.
func drawSVG(ctx context.Context, f *step.File, e *svg.Engine, data []byte) (step.Result, error) {
	m, err := e.Draw(ctx, data, sizes[0], step.ReadTime)
	if err != nil {
		return step.Result{}, err
	}
	p := pixels.New(m)
	images, err := Draw(ctx, f, p, pixels.PNG)
	return step.Result{Engine: svg.Version, Images: images, Metadata: lookalikeOf(p)}, err
}

// lookalikeOf returns the metadata with which the picture is found by pictures that look the same.
func lookalikeOf(p *pixels.Picture) map[string]any {
	hash, ok := lookalike.Of(p)
	if !ok {
		return nil
	}
	return map[string]any{library.MetadataLookalike: hash.String()}
}

// Thumbnail is an encoded thumbnail.
type Thumbnail struct {
	library.Image        // without a key
	Body          []byte // nil if it is the same as that of the next smaller thumbnail
}

// Encode returns the thumbnails of a picture, the largest first, each drawn from the next larger one. source
// is the original format. Encode modifies the picture. Sizes larger than the picture share one object.
func Encode(p *pixels.Picture, source pixels.Format) ([]Thumbnail, error) {
	var pictures [len(sizes)]*pixels.Picture
	for i, size := range sizes {
		p.Fit(size, size)
		pictures[i] = p
		p = p.Copy()
	}
	format, err := formatOf(pictures[len(sizes)-1], source)
	if err != nil {
		return nil, err
	}
	made := make([]Thumbnail, len(sizes))
	for i, p := range pictures {
		made[i].Image = library.Image{ID: strconv.Itoa(sizes[i]), Width: p.Width(), Height: p.Height(), MimeType: format.MediaType()}
		if i+1 < len(sizes) && p.Width() == pictures[i+1].Width() && p.Height() == pictures[i+1].Height() {
			continue
		}
		if made[i].Body, err = p.Encode(pixels.Encoding{Format: format}); err != nil {
			return nil, fmt.Errorf("thumbnail %s: %w", made[i].ID, err)
		}
	}
	return made, nil
}

// Draw stores the thumbnails of a picture; see Encode.
func Draw(ctx context.Context, f *step.File, p *pixels.Picture, source pixels.Format) ([]library.Image, error) {
	made, err := Encode(p, source)
	if err != nil {
		return nil, err
	}
	images := make([]library.Image, len(made))
	for i, thumbnail := range slices.Backward(made) {
		images[i] = thumbnail.Image
		if thumbnail.Body == nil {
			images[i].Key, images[i].Length = images[i+1].Key, images[i+1].Length
			continue
		}
		_, extension, _ := strings.Cut(thumbnail.MimeType, "/")
		images[i].Length = int64(len(thumbnail.Body))
		if images[i].Key, err = f.Store(ctx, "image-"+thumbnail.ID+"."+extension, thumbnail.MimeType, thumbnail.Body); err != nil {
			return nil, err
		}
	}
	return images, nil
}

// formatOf selects the format of all thumbnails by encoding the smallest one.
func formatOf(p *pixels.Picture, source pixels.Format) (pixels.Format, error) {
	switch {
	case !p.Opaque():
		return pixels.PNG, nil
	case source == pixels.JPEG || source == pixels.HEIC || source == pixels.AVIF || source == pixels.Raw:
		return pixels.JPEG, nil
	}
	drawn, err := p.Copy().Encode(pixels.Encoding{Format: pixels.PNG})
	if err != nil {
		return "", err
	}
	photo, err := p.Copy().Encode(pixels.Encoding{Format: pixels.JPEG})
	if err != nil {
		return "", err
	}
	if len(drawn) >= graphics*len(photo) {
		return pixels.JPEG, nil
	}
	return pixels.PNG, nil
}
