package photo

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/extract/photo/cutout"
	"github.com/assay-project/assay/pkg/extract/photo/grammar"
	"github.com/assay-project/assay/pkg/extract/photo/objects"
	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/reason"
)

// Request asks for an edit.
type Request struct {
	Prompt     string           // instructions of package grammar; empty means enhance, unless there are Operations
	Operations []operation.Step // valid steps, applied after those of the prompt
	// Requests in addition to the prompt and the operations, which take precedence. A zero value means no request.
	Format        string // jpeg, png, webp, gif
	Quality       int    // for JPEG and WebP, 1 to 100; WebP is lossless at 100
	Width, Height int    // maximum size in pixels
	AspectRatio   string // for example 3:2

	Tolerant bool              // edit what can be read of a truncated photo
	Frames   string            // of an animation: "first" or "all"; empty means first
	Colors   string            // "keep" an RGB profile or convert to "srgb"; empty means keep
	Keep     []string          // metadata to keep: "copyright"
	Outputs  []Output          // further results of the same edit
	Logos    map[string][]byte // the encoded pictures of the Logo fields of Watermark steps
}

// Output is a further result of an edit: the edited photo, shrunk to a maximum size and in a format.
type Output struct {
	Format  string `json:"format,omitempty"`  // empty for the format of the main result
	Quality int    `json:"quality,omitempty"` // 1 to 100; 0 for the default of the format
	Width   int    `json:"width,omitempty"`   // maximum in pixels; 0 for no limit
	Height  int    `json:"height,omitempty"`
}

// Edited is the result of an edit.
type Edited struct {
	Image         []byte
	Format        pixels.Format
	Width, Height int    // pixels
	Degraded      string // a description of what was not done as requested; "" if everything was
}

// Edit applies the steps of the prompt to an encoded photo in order, then the other requests that the prompt does not
// override.
func (s *Studio) Edit(ctx context.Context, photo []byte, r Request) (Edited, error) {
	steps, unknown, err := grammar.Parse(r.Prompt)
	if err != nil {
		return Edited{}, err
	}
	if len(steps) == 0 {
		return Edited{}, ErrNotUnderstood.With(reason.Instructions, strings.Join(unknown, "; "), grammar.Phrases)
	}
	e := edit{faces: s.faces, objects: s.objects, cutter: s.cutter}
	if len(unknown) > 0 {
		e.degrade("not understood: " + strings.Join(unknown, "; "))
	}
	steps = e.withOptions(steps, r)
	encoding := encodingOf(steps, pixels.Sniff(photo))
	limits := s.config.Limits
	limits.Encoding, limits.AllFrames = encoding, r.Frames == allFrames && animates(encoding.Format)
	for _, s := range steps {
		if s.Gravity == operation.Subject || behind[s.Op] {
			limits.Beside = max(objects.Memory, cutout.Memory)
		}
		limits.Transparent = limits.Transparent || s.Op == operation.RemoveBackground
	}
	animation, release, err := s.decoder.DecodeAll(ctx, photo, limits)
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
	if encoding.Format == pixels.JPEG && !picture.Opaque() && !slices.ContainsFunc(steps, requested) {
		encoding.Format = pixels.PNG // JPEG has no transparency, and the background was removed
	}
	out, err := animation.Encode(encoding)
	if err != nil {
		return Edited{}, err
	}
	return Edited{
		Image: out, Format: encoding.Format, Width: picture.Width(), Height: picture.Height(),
		Degraded: strings.Join(e.degraded, ". "),
	}, nil
}

// edit is the state of a call of Edit.
type edit struct {
	*pixels.Picture
	faces    *finder
	objects  func() (*objects.Finder, error)
	cutter   func() (*cutout.Cutter, error)
	degraded []string
}

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
func (e *edit) withOptions(steps []operation.Step, o Request) []operation.Step {
	named := map[operation.Op]bool{}
	for _, s := range steps {
		named[s.Op] = true
	}
	if o.AspectRatio != "" && !named[operation.Crop] {
		if ratio, err := operation.ParseRatio(o.AspectRatio); err == nil {
			steps = append(steps, operation.Step{Op: operation.Crop, Ratio: ratio})
		} else {
			e.degrade("not understood: aspect ratio " + o.AspectRatio)
		}
	}
	if (o.Width > 0 || o.Height > 0) && !named[operation.Resize] {
		steps = append(steps, operation.Step{Op: operation.Resize, Width: o.Width, Height: o.Height})
	}
	if (o.Format != "" || o.Quality > 0) && !named[operation.Format] {
		steps = append(steps, operation.Step{Op: operation.Format, Format: o.Format, Quality: o.Quality})
	}
	return steps
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
	amount := 100
	switch s.Strength {
	case operation.Light:
		amount = 50
	case operation.Strong:
		amount = 200
	}
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
		e.fit(s)
	case operation.Rotate:
		e.Rotate(int(s.Degrees))
	case operation.Flip:
		if s.Vertical {
			e.FlipVertical()
		} else {
			e.FlipHorizontal()
		}
	case operation.Watermark:
		return watermark(e.Picture, s.Text)
	case operation.Format: // applied when the picture is encoded
	default:
		tone(e.Picture, s)
	}
	return nil
}

func (e *edit) fit(s operation.Step) {
	if s.Width > e.Width() && (s.Height == 0 || s.Height > e.Height()) {
		e.degrade(fmt.Sprintf("not enlarged: the photo has %d × %d pixels", e.Width(), e.Height()))
	}
	e.Fit(s.Width, s.Height)
}

// crop crops to the largest area with the ratio of the step, centered on the picture, the faces or
// the subject.
func (e *edit) crop(ctx context.Context, s operation.Step) error {
	width, height := e.Width(), e.Height()
	around := image.Rect(0, 0, width, height)
	switch {
	case s.Gravity == operation.Faces:
		if faces := e.faces.find(e.Picture); len(faces) > 0 {
			around = union(faceBoxes(faces))
		} else {
			e.degrade("no face")
		}
	case s.Gravity == operation.Subject:
		found, err := e.look(ctx)
		if err != nil {
			return err
		}
		if subject, ok := found.subject(); ok {
			around = subject
		} else {
			e.degrade("no subject")
		}
	}
	center := around.Min.Add(around.Max).Div(2)
	w, h := width, max(width*s.Ratio.Height/s.Ratio.Width, 1)
	if h > height {
		w, h = max(height*s.Ratio.Width/s.Ratio.Height, 1), height
	}
	left := min(max(center.X-w/2, 0), width-w) &^ 1 // even, so that the chroma planes of a JPEG can be cropped
	top := min(max(center.Y-h/2, 0), height-h) &^ 1
	e.Crop(image.Rect(left, top, left+w, top+h))
	return nil
}
