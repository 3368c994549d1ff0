// Package objects finds everyday objects in photos with NanoDet-g, a small neural network trained on
// the 80 classes of COCO. docs/photos.md describes its precision.
package objects

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

//go:embed nanodet.json
var model []byte

//go:embed nanodet.bin
var weights []byte

//go:embed NOTICE
var notice string

//go:embed LICENSE
var license string

// Notice returns the license text of the model, which must be distributed with it.
func Notice() string { return notice + "\n" + license }

const (
	// Confidence is the minimum confidence of an object in a description. The command measure
	// reports the precision of such labels.
	Confidence = 0.65
	// Memory is the maximum memory of Find, in bytes, in addition to the picture.
	Memory = 32 << 20
)

// Object is an object in a photo.
type Object struct {
	Name       string
	Confidence float64         // 0 to 1
	Box        image.Rectangle // in pixels of the searched picture
}

// Finder finds objects. It is safe for concurrent use.
type Finder struct{ graph *tensor.Graph }

// New returns a Finder. It returns an error if the model is damaged.
func New() (*Finder, error) {
	graph, err := tensor.Load(model, weights)
	return &Finder{graph}, err
}

const (
	side    = 416 // side of the model's input, in pixels
	overlap = 0.6 // minimum overlap of two boxes of the same object
	bins    = 11  // bins of the distribution of a distance, from 0 to 10 cells
)

// levels lists the outputs of the model: grids for objects of different sizes.
var levels = []struct {
	cell          int // pixels
	scores, boxes string
}{{8, "Identity", "Identity_3"}, {16, "Identity_1", "Identity_4"}, {32, "Identity_2", "Identity_5"}}

// Find returns the objects with at least the given confidence, in descending order. It does not
// change the picture. If ctx is done, it returns the cause.
func (f *Finder) Find(ctx context.Context, p *pixels.Picture, confidence float64) ([]Object, error) {
	small := p.Copy()
	small.Fit(side, side)
	input, at := square(small.NRGBA())
	out, err := f.graph.Run(ctx, input)
	if err != nil {
		return nil, err
	}
	var all []Object
	for _, level := range levels {
		grid := side / level.cell
		scores, boxes := out[level.scores].Data, out[level.boxes].Data
		if len(scores) != grid*grid*len(names) || len(boxes) != grid*grid*4*bins {
			return nil, fmt.Errorf("%w: the model returned %d scores and %d distances", tensor.ErrModel, len(scores), len(boxes))
		}
		for i, score := range scores {
			if float64(score) < confidence {
				continue
			}
			cell := i / len(names)
			box := around(cell%grid, cell/grid, level.cell, boxes[cell*4*bins:][:4*bins])
			all = append(all, Object{names[i%len(names)], float64(score), box.Sub(at)})
		}
	}
	all = distinct(all)
	for i := range all {
		all[i].Box = scaled(all[i].Box, p.Width(), small.Width(), p.Height(), small.Height())
	}
	return all, nil
}

// square returns the model's input for a picture, centered on black, and the position of the picture in it.
func square(m *image.NRGBA) (tensor.Tensor, image.Point) {
	// Mean and standard deviation of blue, green and red in the training data of the model.
	mean, deviation := [3]float32{103.53, 116.28, 123.675}, [3]float32{57.375, 57.12, 58.395}
	input := tensor.Tensor{Shape: []int{1, 3, side, side}, Data: make([]float32, 3*side*side)}
	width, height := m.Rect.Dx(), m.Rect.Dy()
	at := image.Pt((side-width)/2, (side-height)/2)
	for c := range 3 {
		plane := input.Data[c*side*side:][:side*side]
		for i := range plane {
			plane[i] = -mean[c] / deviation[c]
		}
		for y := range height {
			row, pixels := plane[(at.Y+y)*side+at.X:][:width], m.Pix[y*m.Stride:]
			for x := range row {
				row[x] = (float32(pixels[4*x+2-c]) - mean[c]) / deviation[c]
			}
		}
	}
	return input, at
}

// around returns the box around the center of a cell. The distance to each side, in cells, is the
// mean of a distribution over the bins.
func around(x, y, cell int, logits []float32) image.Rectangle {
	var distances [4]float64
	for i := range distances {
		var sum, weighted float64
		for bin, v := range logits[i*bins : (i+1)*bins] {
			e := math.Exp(float64(v))
			sum += e
			weighted += e * float64(bin)
		}
		distances[i] = weighted / sum * float64(cell)
	}
	middleX, middleY := (float64(x)+0.5)*float64(cell), (float64(y)+0.5)*float64(cell)
	return image.Rect(
		int(math.Round(middleX-distances[0])), int(math.Round(middleY-distances[1])),
		int(math.Round(middleX+distances[2])), int(math.Round(middleY+distances[3])),
	)
}

// distinct drops the less confident of two boxes of the same object.
func distinct(all []Object) []Object {
	slices.SortStableFunc(all, func(a, b Object) int { return cmp.Compare(b.Confidence, a.Confidence) })
	var kept []Object
	for _, o := range all {
		if !slices.ContainsFunc(kept, func(k Object) bool { return k.Name == o.Name && shared(k.Box, o.Box) > overlap }) {
			kept = append(kept, o)
		}
	}
	return kept
}

// shared returns the intersection over union of two boxes, 0 to 1.
func shared(a, b image.Rectangle) float64 {
	area := func(r image.Rectangle) float64 { return float64(r.Dx()) * float64(r.Dy()) }
	both := area(a.Intersect(b))
	return both / max(area(a)+area(b)-both, 1)
}

// scaled converts a box in a shrunk picture to the original size.
func scaled(r image.Rectangle, width, fromWidth, height, fromHeight int) image.Rectangle {
	r = r.Intersect(image.Rect(0, 0, fromWidth, fromHeight))
	return image.Rect(r.Min.X*width/fromWidth, r.Min.Y*height/fromHeight, r.Max.X*width/fromWidth, r.Max.Y*height/fromHeight)
}

// names lists the class names, in the order of the scores.
var names = []string{
	"person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
	"fire hydrant", "stop sign", "parking meter", "bench", "bird", "cat", "dog", "horse", "sheep", "cow",
	"elephant", "bear", "zebra", "giraffe", "backpack", "umbrella", "handbag", "tie", "suitcase", "frisbee",
	"skis", "snowboard", "sports ball", "kite", "baseball bat", "baseball glove", "skateboard", "surfboard",
	"tennis racket", "bottle", "wine glass", "cup", "fork", "knife", "spoon", "bowl", "banana", "apple",
	"sandwich", "orange", "broccoli", "carrot", "hot dog", "pizza", "donut", "cake", "chair", "couch",
	"potted plant", "bed", "dining table", "toilet", "tv", "laptop", "mouse", "remote", "keyboard",
	"cell phone", "microwave", "oven", "toaster", "sink", "refrigerator", "book", "clock", "vase", "scissors",
	"teddy bear", "hair drier", "toothbrush",
}

// Classes returns the names of all objects that Find can detect.
func Classes() []string { return slices.Clone(names) }
