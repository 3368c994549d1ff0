package pixels

import (
	"encoding/binary"
	"image"
)

// geometry returns the orientation as in EXIF and the crop, or no crop (ISO/IEC 23008-12, 6.5.9 to 6.5.12). The crop is
// applied first, as MIAF requires (ISO/IEC 23000-22, 7.3.6.7).
func (i items) geometry() (orientation int, crop image.Rectangle) {
	turns, flipped := 0, false // counterclockwise, then top to bottom
	for _, p := range i.transform {
		switch {
		case p.name == "irot" && len(p.body) >= 1:
			if n := int(p.body[0] & 3); flipped {
				turns -= n
			} else {
				turns += n
			}
		case p.name == "imir" && len(p.body) >= 1:
			if flipped = !flipped; p.body[0]&1 != 0 { // left to right
				turns += 2
			}
		case p.name == "clap":
			crop = aperture(p.body, i.config)
		}
	}
	if flipped {
		return [4]int{4, 5, 2, 7}[turns&3], crop
	}
	return [4]int{1, 8, 3, 6}[turns&3], crop
}

// aperture returns the rectangle of a clap box (ISO/IEC 14496-12, 12.1.4), or none if it is not within the picture.
func aperture(body []byte, c image.Config) image.Rectangle {
	if len(body) < 32 {
		return image.Rectangle{}
	}
	var v [4]float64 // width, height, and the offsets of the center
	for n := range v {
		numerator, denominator := int32(binary.BigEndian.Uint32(body[8*n:])), int32(binary.BigEndian.Uint32(body[8*n+4:]))
		if denominator <= 0 {
			return image.Rectangle{}
		}
		v[n] = float64(numerator) / float64(denominator)
	}
	x, y := (float64(c.Width)-v[0])/2+v[2], (float64(c.Height)-v[1])/2+v[3]
	r := image.Rect(int(x), int(y), int(x)+int(v[0]), int(y)+int(v[1]))
	if x < 0 || y < 0 || r.Empty() || !r.In(image.Rect(0, 0, c.Width, c.Height)) {
		return image.Rectangle{}
	}
	return r
}
