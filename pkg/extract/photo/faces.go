package photo

import (
	_ "embed"
	"image"
	"slices"

	pigo "github.com/esimov/pigo/core"

	"github.com/assay-project/assay/pkg/extract/photo/cutout"
	"github.com/assay-project/assay/pkg/extract/photo/objects"
	"github.com/assay-project/assay/pkg/extract/photo/text"
	"github.com/assay-project/assay/pkg/extract/pixels"
)

//go:embed cascade/facefinder
var cascade []byte

//go:embed cascade/LICENSE
var notice string

// Notice returns the license texts of the cascade, the models and the fonts, which must be distributed with them.
func Notice() string {
	return notice + "\n" + objects.Notice() + "\n" + cutout.Notice() + "\n" + text.Notice()
}

// face is the position of a face in pixels, and its quality.
type face struct {
	box image.Rectangle
	q   float32
}

// finder finds upright faces.
type finder struct{ cascade *pigo.Pigo }

func newFinder() (*finder, error) {
	p, err := pigo.NewPigo().Unpack(cascade)
	return &finder{p}, err
}

const (
	faceSide  = 800 // length of the longer side of the searched picture, in pixels
	clearFace = 10  // the minimum quality; docs/photos.md describes its effect
)

// find returns the faces in descending order of quality.
func (f *finder) find(p *pixels.Picture) []face {
	small := p.Copy()
	small.Fit(faceSide, faceSide)
	gray := small.Luma()
	width, height := gray.Rect.Dx(), gray.Rect.Dy()
	found := f.cascade.RunCascade(pigo.CascadeParams{
		MinSize: 24, MaxSize: min(width, height), ShiftFactor: 0.1, ScaleFactor: 1.1, // parameters of pigo's own command, except for the sizes
		ImageParams: pigo.ImageParams{Pixels: gray.Pix, Rows: height, Cols: width, Dim: gray.Stride},
	}, 0)
	var all []face
	for _, d := range f.cascade.ClusterDetections(found, 0.2) {
		if d.Q < clearFace {
			continue
		}
		box := image.Rect(d.Col-d.Scale/2, d.Row-d.Scale/2, d.Col+d.Scale/2, d.Row+d.Scale/2)
		all = append(all, face{scaled(box, p.Width(), width).Intersect(image.Rect(0, 0, p.Width(), p.Height())), d.Q})
	}
	slices.SortStableFunc(all, func(a, b face) int { return int(b.q - a.q) })
	return all
}

func scaled(r image.Rectangle, to, from int) image.Rectangle {
	return image.Rect(r.Min.X*to/from, r.Min.Y*to/from, r.Max.X*to/from, r.Max.Y*to/from)
}
