package photo

import (
	"image"
	"slices"

	"github.com/assay-project/assay/pkg/extract/pixels"
)

// facts contains measurements of a photo, shrunk to factSide pixels so that photos of all sizes are
// comparable.
type facts struct {
	sharpness           int // variance of the Laplacian of the brightness
	dark, median, light int // brightness of the 5th, 50th and 95th percentiles, 0 to 255
	gray                float64
	paper, ink          float64 // shares of bright and of dark colorless pixels
	night               float64 // share of pixels with less than a quarter of the maximum brightness
	colors              []share // in descending order
}

// share is a color and the share of the pixels that have it.
type share struct {
	name string
	part float64
}

const factSide = 512

// measure measures a photo of at most factSide pixels.
func measure(p *pixels.Picture) facts {
	luma := p.Luma()
	f := facts{sharpness: laplacian(luma)}
	var histogram [256]int
	for _, v := range luma.Pix {
		histogram[v]++
	}
	f.dark, f.median, f.light = pixels.Percentile(&histogram, 50), pixels.Percentile(&histogram, 500), pixels.Percentile(&histogram, 950)
	f.count(p.NRGBA())
	return f
}

// count counts the visible pixels by color.
func (f *facts) count(m *image.NRGBA) {
	bins := make([]int, 1<<15) // 5 bits per channel
	var total, gray, paper, ink, night int
	for y := range m.Rect.Dy() {
		row := m.Pix[y*m.Stride:][:4*m.Rect.Dx()]
		for x := 0; x < len(row); x += 4 {
			r, g, b := row[x], row[x+1], row[x+2]
			if row[x+3] < 128 {
				continue
			}
			total++
			bins[int(r>>3)<<10|int(g>>3)<<5|int(b>>3)]++
			most, least := max(r, g, b), min(r, g, b)
			colorless := most-least <= 16
			if colorless {
				gray++
			}
			if least >= 170 && most-least <= 40 {
				paper++
			}
			if most <= 110 {
				ink++
			}
			if most < 64 {
				night++
			}
		}
	}
	part := func(n int) float64 { return float64(n) / float64(max(total, 1)) }
	f.gray, f.paper, f.ink, f.night = part(gray), part(paper), part(ink), part(night)
	names := map[string]int{}
	for bin, n := range bins {
		if n > 0 {
			names[colorName(byte(bin>>10<<3|4), byte(bin>>5&31<<3|4), byte(bin&31<<3|4))] += n
		}
	}
	for _, name := range colorNames {
		if part(names[name]) >= 0.08 {
			f.colors = append(f.colors, share{name, part(names[name])})
		}
	}
	slices.SortStableFunc(f.colors, func(a, b share) int {
		switch {
		case a.part > b.part:
			return -1
		case a.part < b.part:
			return 1
		}
		return 0
	})
	f.colors = f.colors[:min(len(f.colors), 3)]
}

// laplacian returns the variance of the 4-neighbor Laplacian, a measure of focus (Pech-Pacheco et
// al., 2000).
func laplacian(m *image.Gray) int {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	var sum, squares, n int64
	for y := 1; y < height-1; y++ {
		above, row, below := m.Pix[(y-1)*m.Stride:], m.Pix[y*m.Stride:], m.Pix[(y+1)*m.Stride:]
		for x := 1; x < width-1; x++ {
			v := int64(above[x]) + int64(below[x]) + int64(row[x-1]) + int64(row[x+1]) - 4*int64(row[x])
			sum += v
			squares += v * v
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return int(squares/n - (sum/n)*(sum/n))
}
