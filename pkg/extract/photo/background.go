package photo

import (
	"context"
	"image"
	"slices"

	"github.com/assay-project/assay/pkg/extract/photo/cutout"
	"github.com/assay-project/assay/pkg/extract/photo/objects"
	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// personConfidence is the minimum confidence for cutting out a person.
const personConfidence = 0.6

// seen contains the faces and objects found in the picture at the current step.
type seen struct {
	faces   []face
	objects []objects.Object // with at least personConfidence, in descending order
}

// look finds the faces and objects in the picture.
func (e *edit) look(ctx context.Context) (seen, error) {
	finder, err := e.objects()
	if err != nil {
		return seen{}, err
	}
	found, err := finder.Find(ctx, e.Picture, personConfidence)
	return seen{e.faces.find(e.Picture), found}, err
}

// persons returns the boxes of the people.
func (s seen) persons() []image.Rectangle {
	var boxes []image.Rectangle
	for _, o := range s.objects {
		if o.Name == "person" {
			boxes = append(boxes, o.Box)
		}
	}
	return boxes
}

// subject returns the bounding box of the people. Without people, it is the box of the object with
// the highest confidence; without objects, it is the bounding box of the faces.
func (s seen) subject() (image.Rectangle, bool) {
	boxes := s.persons()
	if len(boxes) == 0 && len(s.objects) > 0 && s.objects[0].Confidence >= objects.Confidence {
		boxes = []image.Rectangle{s.objects[0].Box}
	}
	if len(boxes) == 0 {
		boxes = faceBoxes(s.faces)
	}
	return union(boxes), len(boxes) > 0
}

func faceBoxes(faces []face) []image.Rectangle {
	var boxes []image.Rectangle
	for _, f := range faces {
		boxes = append(boxes, f.box)
	}
	return boxes
}

func union(boxes []image.Rectangle) image.Rectangle {
	var all image.Rectangle
	for _, box := range boxes {
		all = all.Union(box)
	}
	return all
}

// background changes the background behind people. It reports the step as skipped if no person is
// found.
func (e *edit) background(ctx context.Context, s operation.Step) error {
	found, err := e.look(ctx)
	if err != nil {
		return err
	}
	if len(found.faces) == 0 && len(found.persons()) == 0 {
		e.degrade(s.Op.Phrase() + ": no person")
		return nil
	}
	cutter, err := e.cutter()
	if err != nil {
		return err
	}
	mask, err := cutter.Persons(ctx, e.Picture)
	if err != nil {
		return err
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
