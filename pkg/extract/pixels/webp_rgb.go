package pixels

import "image"

// limitedRange holds Y'CbCr 4:2:0 planes of BT.601 in the limited range, in which black is 16 and white is 235
// (RFC 6386, section 9.2).
type limitedRange struct{ y, u, v []byte }

// rgb returns the pixels in RGB. It interpolates the chroma samples and rounds as libwebp does, so that both return the
// same pixels.
func (p limitedRange) rgb(size image.Point) *image.NRGBA {
	out := image.NewNRGBA(image.Rectangle{Max: size})
	width, rows := (size.X+1)/2, (size.Y+1)/2
	u, v := make([]byte, size.X), make([]byte, size.X)
	for y := range size.Y {
		near := y / 2
		far := near - 1 + y%2*2 // the row above for even lines, the row below for odd ones
		if far < 0 || far >= rows {
			far = near
		}
		interpolate(u, p.u[near*width:][:width], p.u[far*width:][:width])
		interpolate(v, p.v[near*width:][:width], p.v[far*width:][:width])
		row, luma := out.Pix[y*out.Stride:][:4*size.X], p.y[y*size.X:][:size.X]
		for x, sample := range luma {
			l, cb, cr := int(sample)*19077>>8, int(u[x]), int(v[x])
			pixel := row[4*x : 4*x+4 : 4*x+4]
			pixel[0] = clip6(l + cr*26149>>8 - 14234)
			pixel[1] = clip6(l - cb*6419>>8 - cr*13320>>8 + 8708)
			pixel[2] = clip6(l + cb*33050>>8 - 17685)
			pixel[3] = 0xff
		}
	}
	return out
}

// interpolate doubles the samples of a row: a sample of out is 9/16 of its nearest sample, 3/16 of each of the next
// ones in both directions, and 1/16 of the one across.
func interpolate(out, near, far []byte) {
	out[0] = byte((3*int(near[0]) + int(far[0]) + 2) >> 2)
	for x := 1; 2*x-1 < len(out); x++ {
		if x == len(near) { // the last sample of an even width
			out[2*x-1] = byte((3*int(near[x-1]) + int(far[x-1]) + 2) >> 2)
			return
		}
		a, b, c, d := int(near[x-1]), int(near[x]), int(far[x-1]), int(far[x])
		sum := a + b + c + d + 8
		out[2*x-1] = byte(((sum+2*(b+c))>>3 + a) >> 1)
		if 2*x < len(out) {
			out[2*x] = byte(((sum+2*(a+d))>>3 + b) >> 1)
		}
	}
}

// clip6 returns a value with 6 fractional bits as a byte.
func clip6(v int) byte { return byte(min(max(v>>6, 0), 255)) }
