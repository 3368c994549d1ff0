package pixels

import "image"

// luma returns the brightness of a color as defined for JPEG (ITU-T T.871, section 7), in the fixed
// point of image/color.RGBToYCbCr.
func luma(r, g, b byte) byte {
	return byte((19595*uint32(r) + 38470*uint32(g) + 7471*uint32(b) + 1<<15) >> 16)
}

// Luma returns the brightness of the picture, 0 to 255, with a stride equal to its width. Transparent
// pixels have the brightness of their stored color.
func (p *Picture) Luma() *image.Gray {
	out := image.NewGray(p.pixels.Bounds())
	switch m := p.pixels.(type) {
	case *image.Gray:
		copyPlane(out, m.Pix, m.Stride)
	case *image.YCbCr:
		copyPlane(out, m.Y, m.YStride)
	case *image.NRGBA:
		for y := range m.Rect.Dy() {
			from, to := m.Pix[y*m.Stride:][:4*m.Rect.Dx()], out.Pix[y*out.Stride:]
			for x := range m.Rect.Dx() {
				px := from[4*x : 4*x+4 : 4*x+4]
				to[x] = luma(px[0], px[1], px[2])
			}
		}
	}
	return out
}

func copyPlane(to *image.Gray, pix []byte, stride int) {
	for y := range to.Rect.Dy() {
		copy(to.Pix[y*to.Stride:][:to.Rect.Dx()], pix[y*stride:])
	}
}

// Map replaces each value of a channel with its entry in the table of the channel.
func (p *Picture) Map(red, green, blue *[256]byte) {
	m := p.NRGBA()
	for y := range m.Rect.Dy() {
		row := m.Pix[y*m.Stride:][:4*m.Rect.Dx()]
		for x := 0; x+4 <= len(row); x += 4 {
			px := row[x : x+4 : x+4]
			px[0], px[1], px[2] = red[px[0]], green[px[1]], blue[px[2]]
		}
	}
}

// clipped is the share of pixels, in thousandths, that AutoLevels maps to black, and the share that it maps to white.
const clipped = 5

// AutoLevels stretches the brightness to the full range, ignoring the darkest and the brightest half
// percent. All channels are stretched alike, so colors do not shift. A picture with a single
// brightness does not change.
func (p *Picture) AutoLevels() {
	histogram := p.histogram()
	low, high := Percentile(&histogram, clipped), Percentile(&histogram, 1000-clipped)
	if low >= high || low == 0 && high == 255 {
		return
	}
	var table [256]byte
	for v := range table {
		table[v] = byte(min(max((v-low)*255+(high-low)/2, 0)/(high-low), 255))
	}
	p.Map(&table, &table, &table)
}

// histogram counts the pixels of each brightness, excluding transparent ones.
func (p *Picture) histogram() (counts [256]int) {
	m, ok := p.pixels.(*image.NRGBA)
	if !ok {
		for _, v := range p.Luma().Pix {
			counts[v]++
		}
		return counts
	}
	for y := range m.Rect.Dy() {
		row := m.Pix[y*m.Stride:][:4*m.Rect.Dx()]
		for x := 0; x+4 <= len(row); x += 4 {
			px := row[x : x+4 : x+4]
			if px[3] != 0 {
				counts[luma(px[0], px[1], px[2])]++
			}
		}
	}
	return counts
}

// Percentile returns the lowest brightness that is not exceeded by the given share of the counted
// pixels, in thousandths. It returns 0 if no pixel is counted.
func Percentile(histogram *[256]int, thousandths int) int {
	total := 0
	for _, n := range histogram {
		total += n
	}
	below := 0
	for v, n := range histogram {
		below += n
		if below > 0 && int64(below)*1000 >= int64(total)*int64(thousandths) {
			return v
		}
	}
	return 0
}
