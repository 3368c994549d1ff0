package photo

import (
	"context"
	"fmt"
	"image"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// These steps change the size of the photo.

func (e *edit) resize(s operation.Step) {
	if s.Width > e.Width() && (s.Height == 0 || s.Height > e.Height()) {
		e.degrade(fmt.Sprintf("not enlarged: the photo has %d × %d pixels", e.Width(), e.Height()))
	}
	to := resized(s, e.size())
	e.Resize(to.X, to.Y)
}

func (e *edit) enlarge(s operation.Step) {
	to, limited := e.bounds.enlarged(s, e.size())
	switch {
	case limited && to == e.size():
		e.degrade(fmt.Sprintf("not enlarged: results may have at most %v", e.bounds))
		return
	case to == e.size():
		e.degrade(fmt.Sprintf("not enlarged: the photo has %d × %d pixels", e.Width(), e.Height()))
		return
	case limited:
		e.degrade(fmt.Sprintf("enlarged only to %d × %d pixels: results may have at most %v", to.X, to.Y, e.bounds))
	}
	e.degrade("enlarged by interpolation; no detail was added")
	e.Enlarge(to.X, to.Y)
}

func (e *edit) pad(s operation.Step) {
	canvas, photo := padded(s, e.size())
	if !e.bounds.allow(canvas) {
		e.degrade(fmt.Sprintf("not padded: results may have at most %v", e.bounds))
		return
	}
	color := [3]byte{0xff, 0xff, 0xff}
	if s.Color != "" {
		color = s.Color.RGB()
	}
	e.Resize(photo.X, photo.Y)
	e.Pad(canvas.X, canvas.Y, place(s.Gravity, canvas, photo), color)
}

// crop crops to the largest area with the ratio of the step, or to an area in pixels.
func (e *edit) crop(ctx context.Context, s operation.Step) error {
	whole := image.Rectangle{Max: e.size()}
	around, found, err := e.around(ctx, s.Gravity)
	if err != nil {
		return err
	}
	if s.Ratio != (operation.Ratio{}) {
		size := cropSize(s, whole.Max)
		at := place(s.Gravity, whole.Max, size)
		if found {
			at = centered(around, size, whole.Max)
		}
		e.Crop(image.Rectangle{Min: at, Max: at.Add(size)})
		return nil
	}
	area := cropArea(s, whole.Max)
	if found {
		at := centered(around, area.Size(), whole.Max).Add(image.Pt(s.X, s.Y))
		area = image.Rectangle{Min: at, Max: at.Add(area.Size())}
	}
	inside := area.Intersect(whole)
	switch {
	case inside.Empty():
		e.degrade(fmt.Sprintf("not cropped: the area is outside of the photo of %d × %d pixels", whole.Max.X, whole.Max.Y))
		return nil
	case inside != area:
		e.degrade(fmt.Sprintf("cropped to %d × %d pixels: the area exceeds the photo of %d × %d", inside.Dx(), inside.Dy(), whole.Max.X, whole.Max.Y))
	}
	e.Crop(inside)
	return nil
}

// around returns the box of the faces or the subject if the gravity asks for them and they are found.
func (e *edit) around(ctx context.Context, g operation.Gravity) (image.Rectangle, bool, error) {
	switch g {
	case operation.Faces:
		boxes, err := e.faceBoxes(ctx)
		if err != nil {
			return image.Rectangle{}, false, err
		}
		if len(boxes) > 0 {
			return union(boxes), true, nil
		}
		e.degrade("no face: the center was used")
	case operation.Subject:
		boxes, mask, err := e.persons(ctx)
		if err != nil {
			return image.Rectangle{}, false, err
		}
		if len(boxes) > 0 {
			return union(append(boxes, mask.Bounds())), true, nil
		}
		e.degrade("no subject: the center was used")
	}
	return image.Rectangle{}, false, nil
}

// centered returns the upper left corner of an area that is centered on a box, as far as it stays within the photo.
func centered(box image.Rectangle, size, photo image.Point) image.Point {
	center := box.Min.Add(box.Max).Div(2)
	return image.Pt(within(center.X-size.X/2, photo.X-size.X), within(center.Y-size.Y/2, photo.Y-size.Y))
}

// within clamps n to the range from 0 to most and makes it even, so that the chroma planes of a JPEG can be cropped.
func within(n, most int) int { return min(max(n, 0), max(most, 0)) &^ 1 }
