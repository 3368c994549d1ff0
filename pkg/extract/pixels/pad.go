package pixels

import "image"

// Pad extends the picture to width × height, with its upper left corner at the given position, and fills the rest with
// an opaque color. Parts outside the new size are cut off. Transparent pixels stay transparent.
func (p *Picture) Pad(width, height int, at image.Point, color [3]byte) {
	m := p.NRGBA()
	out := image.NewNRGBA(image.Rect(0, 0, max(width, 1), max(height, 1)))
	for i := 0; i < len(out.Pix); i += 4 {
		out.Pix[i], out.Pix[i+1], out.Pix[i+2], out.Pix[i+3] = color[0], color[1], color[2], 0xff
	}
	inside := m.Rect.Add(at).Intersect(out.Rect)
	for y := inside.Min.Y; y < inside.Max.Y; y++ {
		copy(out.Pix[out.PixOffset(inside.Min.X, y):][:4*inside.Dx()], m.Pix[m.PixOffset(inside.Min.X-at.X, y-at.Y):])
	}
	p.pixels = out
}

// Overlay draws another picture over this one, with its upper left corner at the given position. opacity is the opacity of
// its opaque pixels, 0 to 100 percent.
func (p *Picture) Overlay(above *Picture, at image.Point, opacity int) {
	to, from := p.NRGBA(), above.NRGBA()
	inside := from.Rect.Add(at).Intersect(to.Rect)
	for y := inside.Min.Y; y < inside.Max.Y; y++ {
		below := to.Pix[to.PixOffset(inside.Min.X, y):][:4*inside.Dx()]
		row := from.Pix[from.PixOffset(inside.Min.X-at.X, y-at.Y):]
		for x := 0; x < len(below); x += 4 {
			over(below[x:x+4:x+4], row[x:x+4:x+4], int(row[x+3])*opacity)
		}
	}
}

// over draws a color over a pixel. coverage is from 0 to 255 × 100.
func over(px, color []byte, coverage int) {
	const full = 255 * 100
	below := int(px[3]) * (full - coverage) // in units of 1/255 of full
	if coverage == 0 {
		return
	}
	total := 255*coverage + below
	for c := range 3 {
		px[c] = byte((255*coverage*int(color[c]) + below*int(px[c]) + total/2) / total)
	}
	px[3] = byte((total + full/2) / full)
}
