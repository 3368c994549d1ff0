package photo

import (
	"cmp"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/pkg/extract/pixels"
)

// tone applies a step that changes each pixel independently.
func tone(p *pixels.Picture, s operation.Step) {
	s.Percent = cmp.Or(s.Percent, operation.DefaultPercent)
	unchanged, raised, lowered := curve(0), curve(s.Percent), curve(-s.Percent)
	switch s.Op {
	case operation.Brighten:
		p.Map(&raised, &raised, &raised)
	case operation.Darken:
		p.Map(&lowered, &lowered, &lowered)
	case operation.Warm:
		raised, lowered = curve(s.Percent/2), curve(-s.Percent/2)
		p.Map(&raised, &unchanged, &lowered)
	case operation.Cool:
		raised, lowered = curve(s.Percent/2), curve(-s.Percent/2)
		p.Map(&lowered, &unchanged, &raised)
	case operation.Contrast:
		steeper := contrast(s.Percent)
		p.Map(&steeper, &steeper, &steeper)
	case operation.Saturate:
		saturate(p, s.Percent)
	case operation.Grayscale:
		saturate(p, -100)
	case operation.Sepia:
		sepia(p)
	}
}

// curve brightens the midtones by percent and preserves black and white.
func curve(percent int) (table [256]byte) {
	for v := range table {
		table[v] = level(v + percent*v*(255-v)/(100*128))
	}
	return table
}

// contrast steepens the tone curve around the middle.
func contrast(percent int) (table [256]byte) {
	for v := range table {
		table[v] = level(128 + (v-128)*(100+percent)/100)
	}
	return table
}

func level(v int) byte { return byte(min(max(v, 0), 255)) }

// each calls f for each pixel.
func each(p *pixels.Picture, f func(px []byte)) {
	m := p.NRGBA()
	for y := range m.Rect.Dy() {
		row := m.Pix[y*m.Stride:][:4*m.Rect.Dx()]
		for x := 0; x < len(row); x += 4 {
			f(row[x : x+4 : x+4])
		}
	}
}

// gray returns the brightness of a pixel with the weights of ITU-R BT.601, in 256ths.
func gray(px []byte) int { return (77*int(px[0]) + 150*int(px[1]) + 29*int(px[2]) + 128) >> 8 }

// saturate moves each channel away from the pixel's brightness. At -100, the result is gray.
func saturate(p *pixels.Picture, percent int) {
	each(p, func(px []byte) {
		l := gray(px)
		for c := range 3 {
			px[c] = level(l + (int(px[c])-l)*(100+percent)/100)
		}
	})
}

// sepia uses the matrix of the CSS filter sepia() (W3C Filter Effects 1, 12.1.2).
func sepia(p *pixels.Picture) {
	each(p, func(px []byte) {
		r, g, b := int(px[0]), int(px[1]), int(px[2])
		px[0] = level((393*r + 769*g + 189*b + 500) / 1000)
		px[1] = level((349*r + 686*g + 168*b + 500) / 1000)
		px[2] = level((272*r + 534*g + 131*b + 500) / 1000)
	})
}

// whiteBalance scales the channels halfway to a common mean (the gray world assumption, Buchsbaum
// 1980), each by a factor of 2/3 to 3/2. The full correction would turn scenes with naturally warm
// colors blue.
func whiteBalance(p *pixels.Picture) {
	var sums [3]int64
	var n int64
	each(p, func(px []byte) {
		if most, least := max(px[0], px[1], px[2]), min(px[0], px[1], px[2]); px[3] == 0 || least < 8 || most > 247 {
			return // clipped pixels carry no information about the light
		}
		for c := range sums {
			sums[c] += int64(px[c])
		}
		n++
	})
	if n == 0 {
		return
	}
	mean := (sums[0] + sums[1] + sums[2]) / 3
	var tables [3][256]byte
	for c := range tables {
		gain := min(max((3000+mean*3000/max(sums[c], 1))/2, 2000), 4500) // in 3000ths
		for v := range tables[c] {
			tables[c][v] = level(int((int64(v)*gain + 1500) / 3000))
		}
	}
	p.Map(&tables[0], &tables[1], &tables[2])
}
