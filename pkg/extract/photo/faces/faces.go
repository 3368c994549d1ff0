// Package faces finds faces in photos with BlazeFace (V. Bazarevsky et al.: BlazeFace: Sub-millisecond Neural Face Detection
// on Mobile GPUs, 2019), a small neural network, in the variant of MediaPipe for faces at any distance. docs/photos.md
// describes its precision.
package faces

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/assay-project/assay/pkg/extract/photo/tensor"
	"github.com/assay-project/assay/pkg/extract/pixels"
)

//go:embed blazeface.json.br
var model []byte

//go:embed blazeface.bin.br
var weights []byte

//go:embed NOTICE
var notice string

//go:embed LICENSE
var license string

// Notice returns the license text of the model, which must be distributed with it.
func Notice() string { return notice + "\n" + license }

// Memory is the maximum memory of Find, in bytes, in addition to the picture.
const Memory = 32 << 20

// Confidences of faces. docs/photos.md states how many faces have them, and how many other things.
const (
	Sure   = 0.65 // sure enough to state that there is a face
	Likely = 0.5  // sure enough if there should be a face
)

// Face is a face in a photo.
type Face struct {
	Box        image.Rectangle // in pixels of the searched picture, from the eyebrows to the chin
	Confidence float64         // 0 to 1
}

// Finder finds faces. It is safe for concurrent use.
type Finder struct{ graph *tensor.Graph }

// New returns a Finder. It returns an error if the model is damaged.
func New() (*Finder, error) {
	graph, err := tensor.Unpack(model, weights, output)
	return &Finder{graph}, err
}

const (
	side   = 192 // side of the model's input, in pixels
	cell   = 4   // pixels; the model has one box per cell
	grid   = side / cell
	values = 17 // of a box: a logit, its center relative to that of the cell, its size, and six points of the face
	output = "Identity"
	step   = 144 // maximum distance of the parts of a photo that are searched, in pixels
)

// Find returns the faces with at least the given confidence, in descending order. It searches the photo as a whole, for large faces, and in
// four overlapping parts, for small ones. It does not change the picture. If ctx is done, it returns
// the cause.
func (f *Finder) Find(ctx context.Context, p *pixels.Picture, least float64) ([]Face, error) {
	larger := p.Copy()
	larger.Fit(side+step, side+step)
	whole := larger.Copy()
	longer := max(p.Width(), p.Height())
	whole.Resize(max(p.Width()*side/longer, 1), max(p.Height()*side/longer, 1))
	all, err := f.part(ctx, whole.NRGBA(), image.Point{}, p, least)
	if err != nil || longer <= side {
		return distinct(all), err
	}
	m := larger.NRGBA()
	for _, y := range starts(m.Rect.Dy()) {
		for _, x := range starts(m.Rect.Dx()) {
			found, err := f.part(ctx, m, image.Pt(x, y), p, least)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return distinct(all), nil
}

// starts returns where the parts begin that cover a number of pixels.
func starts(pixels int) []int {
	all, rest := []int{0}, pixels-side
	if n := (rest + step - 1) / step; rest > 0 {
		for i := range n {
			all = append(all, rest*(i+1)/n)
		}
	}
	return all
}

// part returns the faces in the part of a shrunk photo that begins at a position.
func (f *Finder) part(ctx context.Context, m *image.NRGBA, from image.Point, p *pixels.Picture, least float64) ([]Face, error) {
	input, at := square(m, from)
	out, err := f.graph.Run(ctx, input)
	if err != nil {
		return nil, err
	}
	boxes := out[output].Data
	if len(boxes) != grid*grid*values {
		return nil, fmt.Errorf("%w: the model returned %d values", tensor.ErrModel, len(boxes))
	}
	var all []Face
	for i := range grid * grid {
		v := boxes[i*values:]
		confidence := 1 / (1 + math.Exp(-float64(v[0])))
		if confidence < least {
			continue
		}
		x, y := float64(i%grid*cell+cell/2)+float64(v[1]), float64(i/grid*cell+cell/2)+float64(v[2])
		width, height := float64(v[3])/2, float64(v[4])/2
		scaled := func(x, y float64) image.Point {
			x, y = x+float64(from.X-at.X), y+float64(from.Y-at.Y)
			return image.Pt(int(x*float64(p.Width())/float64(m.Rect.Dx())), int(y*float64(p.Height())/float64(m.Rect.Dy())))
		}
		box := image.Rectangle{Min: scaled(x-width, y-height), Max: scaled(x+width, y+height)}.Intersect(image.Rect(0, 0, p.Width(), p.Height()))
		if !box.Empty() {
			all = append(all, Face{box, confidence})
		}
	}
	return all, nil
}

// square returns the model's input for a part of a photo, centered on black, and the position of the part in it.
func square(m *image.NRGBA, from image.Point) (tensor.Tensor, image.Point) {
	input := tensor.Tensor{Shape: []int{1, side, side, 3}, Data: make([]float32, 3*side*side)}
	for i := range input.Data {
		input.Data[i] = -1
	}
	width, height := min(m.Rect.Dx()-from.X, side), min(m.Rect.Dy()-from.Y, side)
	at := image.Pt((side-width)/2, (side-height)/2)
	for y := range height {
		row, pixels := input.Data[((at.Y+y)*side+at.X)*3:], m.Pix[m.PixOffset(from.X, from.Y+y):]
		for x := range width {
			for c := range 3 {
				row[3*x+c] = float32(pixels[4*x+c])/127.5 - 1
			}
		}
	}
	return input, at
}

// distinct drops the less confident of two boxes of the same face.
func distinct(all []Face) []Face {
	slices.SortStableFunc(all, func(a, b Face) int { return cmp.Compare(b.Confidence, a.Confidence) })
	var kept []Face
	for _, f := range all {
		if !slices.ContainsFunc(kept, func(k Face) bool { return same(k.Box, f.Box) }) {
			kept = append(kept, f)
		}
	}
	return kept
}

// same reports whether two boxes are of the same face: one may be of a part of a face at the edge of a searched part.
func same(a, b image.Rectangle) bool {
	area := func(r image.Rectangle) float64 { return float64(r.Dx()) * float64(r.Dy()) }
	both := area(a.Intersect(b))
	return both > 0.3*(area(a)+area(b)-both) || both > 0.6*min(area(a), area(b))
}
