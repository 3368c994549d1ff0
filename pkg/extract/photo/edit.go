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
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/reason"
)

// Request asks for an edit.
type Request struct {
	Prompt string // instructions of package grammar
	// Requests in addition to the prompt, which takes precedence. A zero value means no request.
	Format        string // jpeg, png, webp
	Quality       int    // for JPEG and WebP, 1 to 100; WebP is lossless at 100
	Width, Height int    // maximum size in pixels
	AspectRatio   string // for example 3:2
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
	limits.WebP = encoding.WebPQuality()
	for _, s := range steps {
		if s.Subject || behind[s.Op] {
			limits.Beside = max(objects.Memory, cutout.Memory)
		}
		limits.Transparent = limits.Transparent || s.Op == grammar.RemoveBackground
	}
	picture, release, err := s.decoder.Decode(ctx, photo, limits)
	if err != nil {
		return Edited{}, err
	}
	defer release()
	e.Picture = picture
	if picture.Reduced != "" {
		e.degrade(picture.Reduced)
	}
	for _, s := range steps {
		if ctx.Err() != nil {
			return Edited{}, context.Cause(ctx)
		}
		if err := e.apply(ctx, s); err != nil {
			return Edited{}, err
		}
	}
	requested := func(s grammar.Step) bool { return s.Op == grammar.As && s.Format != "" }
	if encoding.Format == pixels.JPEG && !picture.Opaque() && !slices.ContainsFunc(steps, requested) {
		encoding.Format = pixels.PNG // JPEG has no transparency, and the background was removed
	}
	out, err := picture.Encode(encoding)
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

func (e *edit) degrade(reason string) { e.degraded = append(e.degraded, reason) }

// withOptions appends a step for each request besides the prompt, unless the prompt has such a step.
func (e *edit) withOptions(steps []grammar.Step, o Request) []grammar.Step {
	named := map[grammar.Op]bool{}
	for _, s := range steps {
		named[s.Op] = true
	}
	if o.AspectRatio != "" && !named[grammar.Crop] {
		if w, h, ok := grammar.Ratio(o.AspectRatio); ok {
			steps = append(steps, grammar.Step{Op: grammar.Crop, Width: w, Height: h})
		} else {
			e.degrade("not understood: aspect ratio " + o.AspectRatio)
		}
	}
	if (o.Width > 0 || o.Height > 0) && !named[grammar.Fit] {
		steps = append(steps, grammar.Step{Op: grammar.Fit, Width: o.Width, Height: o.Height})
	}
	if (o.Format != "" || o.Quality > 0) && !named[grammar.As] {
		steps = append(steps, grammar.Step{Op: grammar.As, Format: o.Format, Quality: o.Quality})
	}
	return steps
}

// behind contains the operations that change the background behind people.
var behind = map[grammar.Op]bool{grammar.RemoveBackground: true, grammar.Background: true, grammar.BlurBackground: true}

// encodingOf returns the encoding of the last As step. Without one, it is the format of the source,
// or JPEG if that format cannot be written.
func encodingOf(steps []grammar.Step, source pixels.Format) pixels.Encoding {
	encoding := pixels.Encoding{Format: source}
	if source == pixels.HEIC {
		encoding.Format = pixels.JPEG
	}
	for _, s := range steps {
		if s.Op != grammar.As {
			continue
		}
		encoding.Quality = s.Quality
		if s.Format != "" {
			encoding.Format = pixels.Format(s.Format)
		}
	}
	return encoding
}

func (e *edit) apply(ctx context.Context, s grammar.Step) error {
	amount := [...]int{grammar.Light + 1: 50, grammar.Medium + 1: 100, grammar.Strong + 1: 200}[s.Strength+1]
	switch s.Op {
	case grammar.Enhance:
		e.AutoLevels()
		saturate(e.Picture, 10)
		e.Sharpen(50)
	case grammar.Levels:
		e.AutoLevels()
	case grammar.WhiteBalance:
		whiteBalance(e.Picture)
	case grammar.Sharpen:
		e.Sharpen(amount)
	case grammar.Denoise:
		for range max(amount/100, 1) {
			e.Median()
		}
	case grammar.Blur:
		e.Blur(max(1, max(e.Width(), e.Height())*amount/40_000)) // 1/400 of the longer side
	case grammar.Crop:
		return e.crop(ctx, s)
	case grammar.RemoveBackground, grammar.Background, grammar.BlurBackground:
		return e.background(ctx, s)
	case grammar.Fit:
		e.fit(s)
	case grammar.Rotate:
		e.Rotate(s.Degrees)
	case grammar.Flip:
		if s.Vertical {
			e.FlipVertical()
		} else {
			e.FlipHorizontal()
		}
	case grammar.Watermark:
		return watermark(e.Picture, s.Text)
	case grammar.As: // applied when the picture is encoded
	default:
		tone(e.Picture, s)
	}
	return nil
}

func (e *edit) fit(s grammar.Step) {
	if s.Width > e.Width() && (s.Height == 0 || s.Height > e.Height()) {
		e.degrade(fmt.Sprintf("not enlarged: the photo has %d × %d pixels", e.Width(), e.Height()))
	}
	e.Fit(s.Width, s.Height)
}

// crop crops to the largest area with the ratio of the step, centered on the picture, the faces or
// the subject.
func (e *edit) crop(ctx context.Context, s grammar.Step) error {
	width, height := e.Width(), e.Height()
	around := image.Rect(0, 0, width, height)
	switch {
	case s.Faces:
		if faces := e.faces.find(e.Picture); len(faces) > 0 {
			around = union(faceBoxes(faces))
		} else {
			e.degrade("no face")
		}
	case s.Subject:
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
	w, h := width, max(width*s.Height/s.Width, 1)
	if h > height {
		w, h = max(height*s.Width/s.Height, 1), height
	}
	left := min(max(center.X-w/2, 0), width-w) &^ 1 // even, so that the chroma planes of a JPEG can be cropped
	top := min(max(center.Y-h/2, 0), height-h) &^ 1
	e.Crop(image.Rect(left, top, left+w, top+h))
	return nil
}
