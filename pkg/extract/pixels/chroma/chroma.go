// Package chroma enlarges subsampled chroma planes and converts Y'CbCr to RGB. Its results are the same as those of
// libjpeg with its default settings.
package chroma

// Plane is a plane of samples.
type Plane struct {
	Samples               []byte
	Stride, Width, Height int
}

func (p Plane) row(y int) []byte { return p.Samples[y*p.Stride:][:p.Width] }

// Row writes row y of a plane that is enlarged h times horizontally and v times vertically. Factors of 2 are
// interpolated: three quarters are of the nearer sample, one quarter is of the farther one. Other samples are repeated.
// The length of dst is the enlarged width; the last sample may be cut.
func (p Plane) Row(dst []byte, y, h, v int) {
	near := p.row(min(y/v, p.Height-1))
	switch smooth := h == 2 && p.Width > 2; {
	case h == 1 && v == 1:
		copy(dst, near)
	case h == 1 && v == 2:
		far, bias := p.far(y)
		for x := range dst {
			dst[x] = byte((3*int(near[x]) + int(far[x]) + bias) >> 2)
		}
	case smooth && v == 1:
		double(dst, near)
	case smooth && v == 2:
		far, _ := p.far(y)
		doubleBetween(dst, near, far)
	default:
		for x := range dst {
			dst[x] = near[x/h]
		}
	}
}

// far returns the farther of two rows between which row y of the double height lies, and the rounding of their mean.
func (p Plane) far(y int) (row []byte, bias int) {
	if y%2 == 0 {
		return p.row(max(y/2-1, 0)), 1
	}
	return p.row(min(y/2+1, p.Height-1)), 2
}

func double(dst, near []byte) {
	this := int(near[0])
	dst[0] = byte(this)
	for x, value := range near[1:] {
		next := int(value)
		two := dst[2*x+1 : 2*x+3]
		two[0], two[1] = byte((3*this+next+2)>>2), byte((3*next+this+1)>>2)
		this = next
	}
	if len(dst) == 2*len(near) {
		dst[len(dst)-1] = byte(this)
	}
}

func doubleBetween(dst, near, far []byte) {
	this := 3*int(near[0]) + int(far[0])
	dst[0] = byte((this*4 + 8) >> 4)
	far = far[1:]
	for x, value := range near[1:] {
		next := 3*int(value) + int(far[x])
		two := dst[2*x+1 : 2*x+3]
		two[0], two[1] = byte((3*this+next+7)>>4), byte((3*next+this+8)>>4)
		this = next
	}
	if len(dst) == 2*len(near) {
		dst[len(dst)-1] = byte((this*4 + 7) >> 4)
	}
}

// RGBA converts a row of Y'CbCr in the full range (JFIF 1.02) to opaque RGBA, 4 bytes per pixel.
func RGBA(dst, luma, cb, cr []byte) {
	cb, cr = cb[:len(luma)], cr[:len(luma)]
	for x, y := range luma {
		b, r := int32(cb[x])-128, int32(cr[x])-128
		light, out := int32(y)<<16+1<<15, dst[4*x:4*x+4]
		out[0] = clip(light + 91881*r)
		out[1] = clip(light - 22554*b - 46802*r)
		out[2] = clip(light + 116130*b)
		out[3] = 0xff
	}
}

func clip(v int32) byte {
	if uint32(v) < 1<<24 {
		return byte(v >> 16)
	}
	return byte(^(v >> 31))
}
