package photo

import (
	"context"
	"image"
	"slices"

	"github.com/assay-project/assay/pkg/extract/photo/cutout"
	"github.com/assay-project/assay/pkg/extract/photo/faces"
	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// persons returns the faces in the picture and, if there is one, the mask of the people.
func (e *edit) persons(ctx context.Context) ([]image.Rectangle, *cutout.Mask, error) {
	boxes, err := e.faceBoxes(ctx)
	if err != nil || len(boxes) == 0 {
		return nil, nil, err
	}
	cutter, err := e.cutter()
	if err != nil {
		return nil, nil, err
	}
	mask, err := cutter.Persons(ctx, e.Picture)
	return boxes, mask, err
}

// faceBoxes returns the boxes of the faces in the picture. If none is sure enough for a description, it returns those that
// are likely, because the prompt suggests that there is a face.
func (e *edit) faceBoxes(ctx context.Context) ([]image.Rectangle, error) {
	finder, err := e.faces()
	if err != nil {
		return nil, err
	}
	found, err := finder.Find(ctx, e.Picture, faces.Likely)
	var boxes []image.Rectangle
	for _, f := range found {
		if f.Confidence >= faces.Sure || found[0].Confidence < faces.Sure { // the first is the clearest
			boxes = append(boxes, f.Box)
		}
	}
	return boxes, err
}

func union(boxes []image.Rectangle) image.Rectangle {
	var all image.Rectangle
	for _, box := range boxes {
		all = all.Union(box)
	}
	return all
}

// background changes the background behind people. It reports the step as skipped if no face is
// found.
func (e *edit) background(ctx context.Context, s operation.Step) error {
	_, mask, err := e.persons(ctx)
	if err != nil {
		return err
	}
	if mask == nil {
		e.degrade(s.Op.Phrase() + ": no person")
		return nil
	}
	m := e.NRGBA()
	switch s.Op {
	case operation.RemoveBackground:
		withMask(mask, m, func(pixel []byte, _ image.Point, person int) { pixel[3] = part(pixel[3], 0, person) })
		e.SetTransparent()
	case operation.Background:
		color := s.Color.RGB()
		withMask(mask, m, func(pixel []byte, _ image.Point, person int) {
			person = person * int(pixel[3]) / 255 // fill the transparent pixels with the color
			for c := range 3 {
				pixel[c] = part(pixel[c], color[c], person)
			}
			pixel[3] = 255
		})
	case operation.BlurBackground:
		sharp := &image.NRGBA{Pix: slices.Clone(m.Pix), Stride: m.Stride, Rect: m.Rect}
		e.Blur(max(1, max(e.Width(), e.Height())*s.Strength.Percent()/10_000))
		withMask(mask, e.NRGBA(), func(pixel []byte, at image.Point, person int) {
			own := sharp.Pix[sharp.PixOffset(at.X, at.Y):]
			for c := range 4 {
				pixel[c] = part(own[c], pixel[c], person)
			}
		})
	}
	return nil
}

// withMask calls change for each pixel with the degree to which it belongs to a person, 0 to 255.
func withMask(mask *cutout.Mask, m *image.NRGBA, change func(pixel []byte, at image.Point, person int)) {
	row := make([]byte, m.Rect.Dx())
	for y := range m.Rect.Dy() {
		mask.Row(y, row)
		for x, person := range row {
			change(m.Pix[y*m.Stride+4*x:][:4], image.Pt(x, y), int(person))
		}
	}
}

// part blends a channel of the person with that of the background.
func part(own, behind byte, person int) byte {
	return byte((int(own)*person + int(behind)*(255-person) + 127) / 255)
}
