// Package cutout separates the people in a photo from the background with MediaPipe Selfie
// Segmentation, a small neural network. The mask of a photo without people is meaningless.
package cutout

import (
	"context"
	_ "embed"
	"fmt"
	"image"

	"github.com/assay-project/assay/pkg/extract/photo/tensor"
	"github.com/assay-project/assay/pkg/extract/pixels"
)

//go:embed selfie.json.br
var model []byte

//go:embed selfie.bin.br
var weights []byte

//go:embed NOTICE
var notice string

//go:embed LICENSE
var license string

// Notice returns the license text of the model, which must be distributed with it.
func Notice() string { return notice + "\n" + license }

// Memory is the maximum memory of Persons, in bytes, in addition to the picture.
const Memory = 32 << 20

// Cutter finds the pixels that show people. It is safe for concurrent use.
type Cutter struct{ graph *tensor.Graph }

// New returns a Cutter. It returns an error if the model is damaged.
func New() (*Cutter, error) {
	graph, err := tensor.Unpack(model, weights)
	return &Cutter{graph}, err
}

const (
	side   = 256 // side of the model's input, in pixels
	output = "activation_10"
)

// Persons returns the mask of a picture. It does not change the picture. If ctx is done, it returns
// the cause.
func (c *Cutter) Persons(ctx context.Context, p *pixels.Picture) (*Mask, error) {
	small := p.Copy()
	small.Resize(side, side)
	m := small.NRGBA()
	input := tensor.Tensor{Shape: []int{1, side, side, 3}, Data: make([]float32, 0, 3*side*side)}
	for y := range side {
		row := m.Pix[y*m.Rect.Dy()/side*m.Stride:]
		for x := range side {
			at := 4 * (x * m.Rect.Dx() / side)
			input.Data = append(input.Data, float32(row[at])/255, float32(row[at+1])/255, float32(row[at+2])/255)
		}
	}
	out, err := c.graph.Run(ctx, input)
	if err != nil {
		return nil, err
	}
	if len(out[output].Data) != side*side {
		return nil, fmt.Errorf("%w: the model returned a mask of %d pixels", tensor.ErrModel, len(out[output].Data))
	}
	mask := &Mask{width: p.Width(), height: p.Height()}
	for i, v := range out[output].Data {
		mask.values[i] = int32(min(max((v-0.25)*2, 0), 1)*255 + 0.5) // a value above 0.75 means a person
	}
	return mask, nil
}

// Mask contains the degree to which each pixel belongs to a person.
type Mask struct {
	values        [side * side]int32 // 0 to 255
	width, height int                // size of the picture in pixels
}

// Bounds returns the smallest rectangle of the picture that contains all pixels that belong to a person rather than to
// the background.
func (m *Mask) Bounds() image.Rectangle {
	var all image.Rectangle
	for i, v := range m.values {
		if v >= 128 {
			x, y := i%side, i/side
			all = all.Union(image.Rect(x*m.width/side, y*m.height/side, (x+1)*m.width/side, (y+1)*m.height/side))
		}
	}
	return all
}

// Row writes the values of a row of the picture, 0 to 255, one per pixel. It interpolates with
// integers, so the result is the same on every processor.
func (m *Mask) Row(y int, row []byte) {
	top, bottom, down := position(y, m.height)
	for x := range row {
		left, right, across := position(x, m.width)
		upper := m.values[top*side+left]*(one-across) + m.values[top*side+right]*across
		lower := m.values[bottom*side+left]*(one-across) + m.values[bottom*side+right]*across
		row[x] = byte(((upper>>4)*(one-down) + (lower>>4)*down + one*one/32) / (one * one / 16))
	}
}

const one = 1 << 10 // fixed-point units between two values

// position returns the indexes of the two values on either side of a pixel, and its distance from the first.
func position(at, pixels int) (first, second int, part int32) {
	middle := ((2*at+1)*side*one/pixels - one) / 2
	if middle < 0 {
		return 0, 0, 0
	}
	first = middle / one
	return first, min(first+1, side-1), int32(middle % one)
}
