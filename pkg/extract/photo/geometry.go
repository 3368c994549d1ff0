package photo

import (
	"fmt"
	"image"
	"math"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/pkg/extract/pixels"
)

// bounds are the limits of the size of a result. 0 means no limit.
type bounds struct {
	pixels  int64
	longest int
}

func (b bounds) allow(size image.Point) bool {
	return (b.longest == 0 || max(size.X, size.Y) <= b.longest) && (b.pixels == 0 || int64(size.X)*int64(size.Y) <= b.pixels)
}

func (b bounds) String() string {
	return fmt.Sprintf("%d megapixels and %d pixels a side", b.pixels/1e6, b.longest)
}

// after returns the size of a photo after the steps, and the pixels of the largest picture that occurs on the way.
func (b bounds) after(steps []operation.Step, size image.Point) (final image.Point, most int64) {
	for _, s := range steps {
		switch s.Op {
		case operation.Crop:
			size = cropSize(s, size)
		case operation.Resize:
			size = resized(s, size)
		case operation.Enlarge:
			size, _ = b.enlarged(s, size)
		case operation.Pad:
			if canvas, _ := padded(s, size); b.allow(canvas) {
				size = canvas
			}
		case operation.Straighten:
			size.X, size.Y = pixels.StraightenedSize(size.X, size.Y, s.Degrees)
		case operation.Rotate:
			if s.Degrees != 180 {
				size.X, size.Y = size.Y, size.X
			}
		}
		most = max(most, int64(size.X)*int64(size.Y))
	}
	return size, most
}

func resized(s operation.Step, size image.Point) image.Point {
	if s.Percent != 0 {
		return percent(size, s.Percent)
	}
	w, h := pixels.FitSize(size.X, size.Y, s.Width, s.Height)
	return image.Pt(w, h)
}

// percent returns a size with each side scaled and rounded, at least 1.
func percent(size image.Point, n int) image.Point {
	return image.Pt(max((size.X*n+50)/100, 1), max((size.Y*n+50)/100, 1))
}

// enlarged returns the size of an enlarged photo: the largest of its aspect ratio that the step and the limits allow. It
// reports whether the limits reduced it.
func (b bounds) enlarged(s operation.Step, size image.Point) (to image.Point, limited bool) {
	w, h := float64(size.X), float64(size.Y)
	factor := float64(s.Percent) / 100
	if s.Percent == 0 {
		factor = math.Inf(1)
		if s.Width > 0 {
			factor = float64(s.Width) / w
		}
		if s.Height > 0 {
			factor = min(factor, float64(s.Height)/h)
		}
	}
	if factor <= 1 {
		return size, false
	}
	most := factor
	if b.longest > 0 {
		most = min(most, float64(b.longest)/max(w, h))
	}
	if b.pixels > 0 {
		most = min(most, math.Sqrt(float64(b.pixels)/(w*h)))
	}
	if most < factor {
		return image.Pt(max(int(float64(w*most)+1e-6), size.X), max(int(float64(h*most)+1e-6), size.Y)), true
	}
	return image.Pt(int(float64(w*factor)+0.5), int(float64(h*factor)+0.5)), false
}

// padded returns the size of the canvas of a padded photo, and that of the photo on it, which is shrunk to a width or
// height of the step.
func padded(s operation.Step, size image.Point) (canvas, photo image.Point) {
	switch {
	case s.Percent != 0:
		border := (min(size.X, size.Y)*s.Percent + 50) / 100
		return size.Add(image.Pt(2*border, 2*border)), size
	case s.Ratio != operation.Ratio{}:
		w, h := s.Ratio.Width, s.Ratio.Height
		if size.X*h >= size.Y*w {
			return image.Pt(size.X, (size.X*h+w-1)/w), size
		}
		return image.Pt((size.Y*w+h-1)/h, size.Y), size
	}
	w, h := pixels.FitSize(size.X, size.Y, s.Width, s.Height)
	canvas = image.Pt(w, h)
	if s.Width > 0 {
		canvas.X = s.Width
	}
	if s.Height > 0 {
		canvas.Y = s.Height
	}
	return canvas, image.Pt(w, h)
}

// cropSize returns the size of the area to crop: that of the step, without what exceeds the photo.
func cropSize(s operation.Step, size image.Point) image.Point {
	if s.Ratio == (operation.Ratio{}) {
		area := cropArea(s, size)
		return area.Intersect(image.Rectangle{Max: size}).Size()
	}
	w, h := size.X, max(size.X*s.Ratio.Height/s.Ratio.Width, 1)
	if h > size.Y {
		w, h = max(size.Y*s.Ratio.Width/s.Ratio.Height, 1), size.Y
	}
	return image.Pt(w, h)
}

// cropArea returns the area of a crop in pixels, which may exceed the photo. A gravity without a fixed place is that of the
// center.
func cropArea(s operation.Step, size image.Point) image.Rectangle {
	inner := size
	if s.Width > 0 {
		inner.X = s.Width
	}
	if s.Height > 0 {
		inner.Y = s.Height
	}
	at := place(s.Gravity, size, inner).Add(image.Pt(s.X, s.Y))
	return image.Rectangle{Min: at, Max: at.Add(inner)}
}

// place returns the upper left corner of an area with the given gravity in an outer one.
func place(g operation.Gravity, outer, inner image.Point) image.Point {
	room := outer.Sub(inner)
	at := image.Pt(middle(outer.X, inner.X), middle(outer.Y, inner.Y))
	switch g {
	case operation.North, operation.Northeast, operation.Northwest:
		at.Y = 0
	case operation.South, operation.Southeast, operation.Southwest:
		at.Y = room.Y
	}
	switch g {
	case operation.West, operation.Northwest, operation.Southwest:
		at.X = 0
	case operation.East, operation.Northeast, operation.Southeast:
		at.X = room.X
	}
	return at
}

// middle returns the begin of a centered part, as an even number, so that the chroma planes of a JPEG can be cropped.
func middle(outer, inner int) int { return (outer/2 - inner/2) &^ 1 }
