package photo

import (
	"context"
	"image"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/extract/photo/cutout"
	"github.com/assay-project/assay/pkg/extract/photo/faces"
	"github.com/assay-project/assay/pkg/extract/photo/grammar"
	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/pkg/extract/photo/text"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/reason"
)

// Request asks for an edit.
type Request struct {
	Prompt     string           // instructions of package grammar; empty means enhance, unless there are Operations
	Operations []operation.Step // valid steps, applied after those of the prompt
	// Requests in addition to the prompt and the operations, which take precedence. A zero value means no request.
	Format        string // jpeg, png, webp, gif, avif
	Quality       int    // for JPEG and WebP, 1 to 100; WebP is lossless at 100
	Width, Height int    // maximum size in pixels
	AspectRatio   string // for example 3:2

	Tolerant bool               // edit what can be read of a truncated photo
	Frames   string             // of an animation: "first" or "all"; empty means first
	Colors   string             // "keep" an RGB profile or convert to "srgb"; empty means keep
	Keep     []string           // metadata to keep: KeepCopyright
	Outputs  []operation.Output // further results of the same edit, at most operation.MaxOutputs
	Logos    map[string][]byte  // the encoded pictures of the Logo fields of Watermark steps
}

// KeepCopyright keeps the author and the copyright of the photo: those of EXIF, or else of XMP or IPTC, are written as EXIF.
const KeepCopyright = "copyright"

// Edited is the result of an edit.
type Edited struct {
	Image         []byte
	Format        pixels.Format
	Width, Height int      // pixels
	Degraded      string   // a description of what was not done as requested; "" if everything was
	Outputs       []Result // in the order of Request.Outputs
}

// Result is a further result of an edit.
type Result struct {
	Image         []byte
	Format        pixels.Format
	Width, Height int // pixels
}

// Edit applies the steps of the prompt and the operations to an encoded photo in order, then the other requests that these
// do not override.
func (s *Studio) Edit(ctx context.Context, photo []byte, r Request) (Edited, error) {
	e := edit{faces: s.faces, cutter: s.cutter, fonts: s.fonts, bounds: bounds{s.config.Limits.Pixels, s.config.Limits.Longest}}
	steps, err := e.steps(r)
	if err != nil {
		return Edited{}, err
	}
	if e.logos, err = s.logos(ctx, steps, r.Logos); err != nil {
		return Edited{}, err
	}
	main := encodingOf(steps, pixels.Sniff(photo))
	outputs := encodings(main, r.Outputs)
	animation, release, err := s.decoder.DecodeAll(ctx, photo, s.reserve(photo, steps, append(outputs, main), r, e.logos))
	if err != nil {
		return Edited{}, err
	}
	defer release()
	picture := animation.Frames[0]
	e.degraded = append(e.degraded, picture.Remarks...)
	for _, e.Picture = range animation.Frames {
		for _, s := range steps {
			if ctx.Err() != nil {
				return Edited{}, context.Cause(ctx)
			}
			if err := e.apply(ctx, s); err != nil {
				return Edited{}, err
			}
		}
	}
	requested := func(s operation.Step) bool { return s.Op == operation.Format && s.Format != "" }
	if main.Format == pixels.JPEG && !picture.Opaque() && !slices.ContainsFunc(steps, requested) {
		main.Format = pixels.PNG // JPEG has no transparency, and the background was removed
	}
	if slices.Contains(r.Keep, KeepCopyright) {
		e.rights = pixels.ReadRights(photo)
	}
	first, err := e.result(ctx, animation, operation.Output{}, main)
	if err != nil {
		return Edited{}, err
	}
	done := Edited{Image: first.Image, Format: first.Format, Width: first.Width, Height: first.Height}
	for i, encoding := range encodings(main, r.Outputs) {
		result, err := e.result(ctx, animation, r.Outputs[i], encoding)
		if err != nil {
			return Edited{}, err
		}
		done.Outputs = append(done.Outputs, result)
	}
	done.Degraded = strings.Join(e.degraded, ". ")
	return done, nil
}

// steps returns the steps of a request.
func (e *edit) steps(r Request) ([]operation.Step, error) {
	var steps []operation.Step
	if len(r.Operations) == 0 || strings.TrimSpace(r.Prompt) != "" {
		parsed, unknown, err := grammar.Parse(r.Prompt)
		if err != nil {
			return nil, err
		}
		if len(parsed)+len(r.Operations) == 0 {
			return nil, ErrNotUnderstood.With(reason.Instructions, strings.Join(unknown, "; "), grammar.Phrases)
		}
		if len(unknown) > 0 {
			e.degrade("not understood: " + strings.Join(unknown, "; "))
		}
		steps = parsed
	}
	return e.withOptions(append(steps, r.Operations...), r), nil
}

// edit is the state of a call of Edit.
type edit struct {
	*pixels.Picture
	faces    func() (*faces.Finder, error)
	cutter   func() (*cutout.Cutter, error)
	fonts    func() (*text.Fonts, error)
	bounds   bounds
	logos    map[string]logo
	rights   pixels.Rights // the statements to keep
	degraded []string
}

func (e *edit) size() image.Point { return image.Pt(e.Width(), e.Height()) }

// degrade reports what was not done as requested, once for all frames.
func (e *edit) degrade(reason string) {
	if !slices.Contains(e.degraded, reason) {
		e.degraded = append(e.degraded, reason)
	}
}

// allFrames is the value of Request.Frames for all frames of an animation.
const allFrames = "all"

// animates reports whether a result in the format can have more than one frame.
func animates(f pixels.Format) bool { return f == pixels.GIF || f == pixels.WebP }

// withOptions appends a step for each request besides the prompt, unless the prompt has such a step.
func (e *edit) withOptions(steps []operation.Step, r Request) []operation.Step {
	options := operation.Options{Format: r.Format, Quality: r.Quality, Width: r.Width, Height: r.Height, AspectRatio: r.AspectRatio}
	all, unknown := options.Complete(steps)
	for _, u := range unknown {
		e.degrade("not understood: " + u)
	}
	return all
}

// behind contains the operations that change the background behind people.
var behind = map[operation.Op]bool{operation.RemoveBackground: true, operation.Background: true, operation.BlurBackground: true}

// encodingOf returns the encoding of the last As step. Without one, it is the format of the source,
// or one like it that can be written.
func encodingOf(steps []operation.Step, source pixels.Format) pixels.Encoding {
	encoding := pixels.Encoding{Format: source}
	switch source {
	case pixels.HEIC, pixels.Raw:
		encoding.Format = pixels.JPEG
	case pixels.BMP, pixels.TIFF:
		encoding.Format = pixels.PNG // lossless, too
	}
	for _, s := range steps {
		if s.Op != operation.Format {
			continue
		}
		encoding.Quality = s.Quality
		if s.Format != "" {
			encoding.Format = pixels.Format(s.Format)
		}
	}
	return encoding
}

func (e *edit) apply(ctx context.Context, s operation.Step) error {
	amount := s.Strength.Percent()
	switch s.Op {
	case operation.Enhance:
		e.AutoLevels()
		saturate(e.Picture, 10)
		e.Sharpen(50)
	case operation.Levels:
		e.AutoLevels()
	case operation.WhiteBalance:
		whiteBalance(e.Picture)
	case operation.Sharpen:
		e.Sharpen(amount)
	case operation.Denoise:
		for range max(amount/100, 1) {
			e.Median()
		}
	case operation.Blur:
		e.Blur(max(1, max(e.Width(), e.Height())*amount/40_000)) // 1/400 of the longer side
	case operation.Crop:
		return e.crop(ctx, s)
	case operation.RemoveBackground, operation.Background, operation.BlurBackground:
		return e.background(ctx, s)
	case operation.Resize:
		e.resize(s)
	case operation.Enlarge:
		e.enlarge(s)
	case operation.Pad:
		e.pad(s)
	case operation.Straighten:
		e.Straighten(s.Degrees)
	case operation.Rotate:
		e.Rotate(int(s.Degrees))
	case operation.Flip:
		if s.Vertical {
			e.FlipVertical()
		} else {
			e.FlipHorizontal()
		}
	case operation.Watermark:
		return e.watermark(s)
	case operation.Format: // applied when the picture is encoded
	default:
		tone(e.Picture, s)
	}
	return nil
}
