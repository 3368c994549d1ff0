package photo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"slices"

	"github.com/assay-project/assay/pkg/extract/photo/cutout"
	"github.com/assay-project/assay/pkg/extract/photo/faces"
	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/pkg/extract/pixels"
)

// encodings returns the encodings of further results. One without a format has that of the main result.
func encodings(main pixels.Encoding, outputs []operation.Output) []pixels.Encoding {
	var all []pixels.Encoding
	for _, o := range outputs {
		e := pixels.Encoding{Format: pixels.Format(o.Format), Quality: o.Quality}
		if e.Format == "" {
			e.Format, e.Quality = main.Format, cmp.Or(o.Quality, main.Quality)
		}
		all = append(all, e)
	}
	return all
}

// result returns a result of an edit, shrunk to the size of an output. It has all frames if its format has animations.
func (e *edit) result(ctx context.Context, edited *pixels.Animation, o operation.Output, to pixels.Encoding) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	a := *edited
	a.Frames = nil
	for _, p := range edited.Frames {
		p = p.Copy()
		p.Fit(o.Width, o.Height)
		a.Frames = append(a.Frames, p)
		if !animates(to.Format) {
			break
		}
	}
	data, err := a.Encode(to)
	if err != nil {
		return Result{}, err
	}
	data, err = pixels.WithRights(data, to.Format, e.rights)
	if errors.Is(err, pixels.ErrNoRights) {
		e.degrade(fmt.Sprintf("copyright not kept: %s has no place for it", to.Format))
		err = nil
	}
	return Result{data, to.Format, a.Frames[0].Width(), a.Frames[0].Height()}, err
}

// reserve returns the limits for decoding the photo, which reserve the memory for the steps and the results.
func (s *Studio) reserve(photo []byte, steps []operation.Step, results []pixels.Encoding, r Request, logos map[string]logo) pixels.Limits {
	limits := s.config.Limits
	for _, s := range steps {
		if s.Gravity == operation.Faces || s.Gravity == operation.Subject || behind[s.Op] {
			limits.Beside = max(limits.Beside, faces.Memory, cutout.Memory)
		}
		limits.Transparent = limits.Transparent || s.Op == operation.RemoveBackground
	}
	limits.Box = box(steps)
	limits.Tolerant, limits.SRGB = r.Tolerant, r.Colors == "srgb"
	limits.Encodings = results
	for _, e := range results {
		limits.AllFrames = limits.AllFrames || r.Frames == allFrames && animates(e.Format)
	}
	if slices.Contains(r.Keep, KeepCopyright) {
		limits.Beside = max(limits.Beside, pixels.RightsMemory)
	}
	for _, l := range logos {
		limits.Beside += l.memory()
	}
	info, err := pixels.Inspect(photo, limits)
	if err != nil {
		limits.Grown = limits.Pixels // Decode may read the size from a damaged header, or returns the error
		return limits
	}
	b := bounds{limits.Pixels, limits.Longest}
	var beside int64
	// The orientation, which is not known of every format, may swap the sides.
	for _, size := range []image.Point{{X: info.Width, Y: info.Height}, {X: info.Height, Y: info.Width}} {
		final, largest := b.after(steps, size)
		limits.Grown = max(limits.Grown, largest)
		beside = max(beside, outputMemory(r.Outputs, final))
	}
	limits.Beside += beside
	return limits
}

// outputMemory returns the maximum size of the further results of a photo of a size, in bytes. The decoder counts the first
// result.
func outputMemory(outputs []operation.Output, size image.Point) (sum int64) {
	const perPixel = 4
	for _, o := range outputs {
		w, h := pixels.FitSize(size.X, size.Y, o.Width, o.Height)
		sum += perPixel * int64(w) * int64(h)
	}
	return sum
}

// box returns the size to which the first step shrinks the photo, or zero if it does not.
func box(steps []operation.Step) image.Point {
	for _, s := range steps {
		if s.Op == operation.Resize && s.Percent == 0 {
			return image.Pt(s.Width, s.Height)
		}
		if s.Op != operation.Format {
			break
		}
	}
	return image.Point{}
}
