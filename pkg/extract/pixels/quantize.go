package pixels

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

const (
	mostColors = 256
	halfAlpha  = 0x80
	// cellBits is the number of bits of each channel by which colors are counted.
	cellBits = 5
)

// quantize reduces a picture to a palette: its own colors if they fit, otherwise those of a median cut (Heckbert 1982)
// with the error diffused (Floyd and Steinberg 1976).
func quantize(m *image.NRGBA) *image.Paletted {
	colors, transparent := countColors(m)
	most := mostColors
	if transparent {
		most--
	}
	var palette color.Palette
	var nearest func(r, g, b int) byte
	if len(colors) <= most {
		exact := map[[3]byte]byte{}
		for _, c := range colors {
			exact[c] = byte(len(palette))
			palette = append(palette, color.NRGBA{c[0], c[1], c[2], 0xff})
		}
		nearest = func(r, g, b int) byte { return exact[[3]byte{byte(r), byte(g), byte(b)}] }
	} else {
		palette = medianCut(m, most)
		nearest = search(palette)
	}
	clearIndex := byte(len(palette))
	if transparent {
		palette = append(palette, color.NRGBA{})
	}
	out := image.NewPaletted(m.Rect, palette)
	diffuse(out, m, nearest, clearIndex)
	return out
}

// countColors returns the different colors of the opaque pixels, at most one more than a palette has, in order.
func countColors(m *image.NRGBA) (colors [][3]byte, transparent bool) {
	seen := map[[3]byte]bool{}
	for y := range m.Rect.Dy() {
		row := m.Pix[y*m.Stride:][:4*m.Rect.Dx()]
		for x := 0; x < len(row); x += 4 {
			if row[x+3] < halfAlpha {
				transparent = true
			} else if c := [3]byte(row[x:]); len(colors) <= mostColors && !seen[c] {
				seen[c] = true
				colors = append(colors, c)
			}
		}
	}
	slices.SortFunc(colors, func(a, b [3]byte) int { return slices.Compare(a[:], b[:]) })
	return colors, transparent
}

// cell counts the pixels of similar colors.
type cell struct {
	n   int
	sum [3]int
}

func (c *cell) mean(channel int) int { return c.sum[channel] / c.n }

// medianCut returns the mean colors of boxes of about equal weight.
func medianCut(m *image.NRGBA, most int) color.Palette {
	counts := make([]cell, 1<<(3*cellBits))
	for y := range m.Rect.Dy() {
		row := m.Pix[y*m.Stride:][:4*m.Rect.Dx()]
		for x := 0; x < len(row); x += 4 {
			if row[x+3] >= halfAlpha {
				c := &counts[place5(int(row[x]), int(row[x+1]), int(row[x+2]))]
				c.n++
				for i := range 3 {
					c.sum[i] += int(row[x+i])
				}
			}
		}
	}
	box := slices.DeleteFunc(counts, func(c cell) bool { return c.n == 0 })
	boxes := [][]cell{box}
	for len(boxes) < most {
		best, axis, widest := -1, 0, 0
		for i, b := range boxes {
			if a, extent := longest(b); len(b) > 1 && extent > widest {
				best, axis, widest = i, a, extent
			}
		}
		if best < 0 {
			break
		}
		b := boxes[best]
		slices.SortStableFunc(b, func(p, q cell) int { return cmp.Compare(p.mean(axis), q.mean(axis)) })
		at := median(b)
		boxes[best] = b[:at]
		boxes = append(boxes, b[at:])
	}
	palette := make(color.Palette, len(boxes))
	for i, b := range boxes {
		var all cell
		for _, c := range b {
			all.n += c.n
			for k := range 3 {
				all.sum[k] += c.sum[k]
			}
		}
		palette[i] = color.NRGBA{byte(all.mean(0)), byte(all.mean(1)), byte(all.mean(2)), 0xff}
	}
	return palette
}

// longest returns the channel with the greatest extent, and that extent weighted by the root of the number of pixels.
func longest(box []cell) (channel, extent int) {
	n := 0
	for _, c := range box {
		n += c.n
	}
	for k := range 3 {
		low, high := 255, 0
		for _, c := range box {
			low, high = min(low, c.mean(k)), max(high, c.mean(k))
		}
		if e := (high - low) * (high - low) * bitLength(n); e > extent {
			channel, extent = k, e
		}
	}
	return channel, extent
}

// bitLength returns the number of bits of n.
func bitLength(n int) (bits int) {
	for ; n > 0; n >>= 1 {
		bits++
	}
	return bits
}

// median returns the index, from 1, of the cell behind half of the pixels.
func median(box []cell) int {
	n, half := 0, 0
	for _, c := range box {
		n += c.n
	}
	for i, c := range box[:len(box)-1] {
		if half += c.n; 2*half >= n {
			return i + 1
		}
	}
	return len(box) - 1
}

func place5(r, g, b int) int {
	const low = 8 - cellBits
	return r>>low<<(2*cellBits) | g>>low<<cellBits | b>>low
}

// search returns a function that returns the index of the color nearest to the center of a cell.
func search(palette color.Palette) func(r, g, b int) byte {
	found := make([]int16, 1<<(3*cellBits))
	return func(r, g, b int) byte {
		at := place5(r, g, b)
		if found[at] == 0 {
			least := 1 << 30
			for i, c := range palette {
				c := c.(color.NRGBA)
				dr, dg, db := (r|4)&^3-int(c.R), (g|4)&^3-int(c.G), (b|4)&^3-int(c.B)
				if d := 2*dr*dr + 4*dg*dg + db*db; d < least {
					least, found[at] = d, int16(i)+1
				}
			}
		}
		return byte(found[at] - 1)
	}
}

// diffuse writes the index of the nearest color of each pixel, and adds its error to the pixels that follow.
func diffuse(out *image.Paletted, m *image.NRGBA, nearest func(r, g, b int) byte, transparent byte) {
	width := m.Rect.Dx()
	var colors [mostColors][3]int
	for i, c := range out.Palette {
		c := c.(color.NRGBA)
		colors[i] = [3]int{int(c.R), int(c.G), int(c.B)}
	}
	errors, below := make([][3]int, width+2), make([][3]int, width+2) // in sixteenths
	for y := range m.Rect.Dy() {
		row := m.Pix[y*m.Stride:][:4*width]
		for x := range width {
			p := row[4*x : 4*x+4]
			if p[3] < halfAlpha {
				out.Pix[y*out.Stride+x] = transparent
				continue
			}
			var want [3]int
			for c := range 3 {
				want[c] = min(max(int(p[c])+(errors[x+1][c]+8)>>4, 0), 255)
			}
			index := nearest(want[0], want[1], want[2])
			out.Pix[y*out.Stride+x] = index
			for c := range 3 {
				e := want[c] - colors[index][c]
				errors[x+2][c] += 7 * e
				below[x][c] += 3 * e
				below[x+1][c] += 5 * e
				below[x+2][c] += e
			}
		}
		errors, below = below, errors
		for i := range below {
			below[i] = [3]int{}
		}
	}
}
