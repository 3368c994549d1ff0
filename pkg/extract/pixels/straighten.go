package pixels

import (
	"image"
	"math"
)

// Straighten rotates the picture clockwise by an angle of -45 to 45 degrees and crops it to the largest centered area
// without corners outside the picture that has the same aspect ratio: StraightenedSize. It interpolates with the
// Catmull-Rom cubic.
func (p *Picture) Straighten(degrees float64) {
	width, height := StraightenedSize(p.Width(), p.Height(), degrees)
	m := p.NRGBA()
	if p.alpha { // the color of transparent pixels must not affect their neighbors
		m = premultiplied(m)
	}
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	newRotation(degrees).apply(out, m)
	if p.alpha {
		divideByAlpha(out)
	}
	p.pixels = out
}

// StraightenedSize returns the size of a picture of width × height after Straighten, in pixels.
func StraightenedSize(width, height int, degrees float64) (int, int) {
	sin, cos := math.Abs(sinPi(degrees/180)), sinPi(degrees/180+0.5)
	w, h := float64(width), float64(height)
	share := min(w/(float64(w*cos)+float64(h*sin)), h/(float64(w*sin)+float64(h*cos)), 1)
	return max(int(float64(w*share)+1e-6), 1), max(int(float64(h*share)+1e-6), 1)
}

// rotation rotates around the center of a picture.
type rotation struct {
	sin, cos int64         // in units of 2^-31
	fixed    [256][4]int32 // Catmull-Rom weights of four samples for each 256th between the second and the third
}

func newRotation(degrees float64) *rotation {
	const unit = 1 << 31
	r := &rotation{
		sin: int64(math.RoundToEven(sinPi(degrees/180) * unit)),
		cos: int64(math.RoundToEven(sinPi(degrees/180+0.5) * unit)),
	}
	for i := range r.fixed {
		raw, sum := make([]float64, 4), 0.0
		for k := range raw {
			raw[k] = catmullRom(float64(k-1) - float64(i)/256)
			sum += raw[k]
		}
		fix(r.fixed[i][:], raw, sum)
	}
	return r
}

// apply fills to with the rotated center of from.
func (r *rotation) apply(to, from *image.NRGBA) {
	w, h := to.Rect.Dx(), to.Rect.Dy()
	const phase = 24                     // bits below a 256th of a pixel
	const half = int64(1) << (phase - 1) // rounds to the nearest 256th
	centerX, centerY := int64(from.Rect.Dx()-1)<<31+half, int64(from.Rect.Dy()-1)<<31+half
	for y := range h {
		row := to.Pix[y*to.Stride:][:4*w]
		dx, dy := int64(1-w), int64(2*y+1-h) // twice the distance from the center
		u, v := centerX+dx*r.cos+dy*r.sin, centerY-dx*r.sin+dy*r.cos
		for x := 0; x < len(row); x += 4 {
			r.sample(row[x:x+4:x+4], from, int(u>>32), int(v>>32), &r.fixed[u>>phase&255], &r.fixed[v>>phase&255])
			u, v = u+2*r.cos, v-2*r.sin
		}
	}
}

// sample sets px to the interpolated value between the pixels (x, y) and (x+1, y+1). Beyond the edges, the pixels of the
// edges are repeated.
func (r *rotation) sample(px []byte, m *image.NRGBA, x, y int, across, down *[4]int32) {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	var sums [4]int32
	inside := x >= 1 && x+2 < width
	for k, weight := range down {
		line := m.Pix[min(max(y+k-1, 0), height-1)*m.Stride:]
		var c0, c1, c2, c3 int32
		if inside {
			s := line[4*(x-1) : 4*(x-1)+16 : 4*(x-1)+16]
			c0 = across[0]*int32(s[0]) + across[1]*int32(s[4]) + across[2]*int32(s[8]) + across[3]*int32(s[12])
			c1 = across[0]*int32(s[1]) + across[1]*int32(s[5]) + across[2]*int32(s[9]) + across[3]*int32(s[13])
			c2 = across[0]*int32(s[2]) + across[1]*int32(s[6]) + across[2]*int32(s[10]) + across[3]*int32(s[14])
			c3 = across[0]*int32(s[3]) + across[1]*int32(s[7]) + across[2]*int32(s[11]) + across[3]*int32(s[15])
		} else {
			for i, w := range across {
				at := 4 * min(max(x+i-1, 0), width-1)
				c0 += w * int32(line[at])
				c1 += w * int32(line[at+1])
				c2 += w * int32(line[at+2])
				c3 += w * int32(line[at+3])
			}
		}
		const drop = 8 // so that the sums fit in 32 bits
		sums[0] += weight * (c0 >> drop)
		sums[1] += weight * (c1 >> drop)
		sums[2] += weight * (c2 >> drop)
		sums[3] += weight * (c3 >> drop)
	}
	const shift = 2*weightBits - 8
	for c, sum := range sums {
		px[c] = clamp((sum + 1<<(shift-1)) >> shift)
	}
}
