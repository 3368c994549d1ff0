package pixels

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/draw"
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

// turnedArea returns an area of a picture as it is after the orientation is applied.
func turnedArea(r image.Rectangle, size image.Point, orientation int) image.Rectangle {
	turned := func(p image.Point) (x, y int) {
		switch orientation {
		case 2:
			return size.X - p.X, p.Y
		case 3:
			return size.X - p.X, size.Y - p.Y
		case 4:
			return p.X, size.Y - p.Y
		case 5:
			return p.Y, p.X
		case 6:
			return size.Y - p.Y, p.X
		case 7:
			return size.Y - p.Y, size.X - p.X
		case 8:
			return p.Y, size.X - p.X
		}
		return p.X, p.Y
	}
	left, top := turned(r.Min)
	right, bottom := turned(r.Max)
	return image.Rect(left, top, right, bottom)
}

// withoutCrop returns a copy of a HEIF file whose clap boxes contain the whole picture.
func withoutCrop(data []byte, width, height int) []byte {
	whole := make([]byte, 0, 32)
	for _, v := range []int{width, 1, height, 1, 0, 1, 0, 1} {
		whole = binary.BigEndian.AppendUint32(whole, uint32(v))
	}
	changed := bytes.Clone(data)
	eachBox(changed, func(name string, body []byte) {
		if name != "meta" || len(body) < 4 {
			return
		}
		eachBox(body[4:], func(name string, body []byte) {
			if name != "iprp" {
				return
			}
			eachBox(body, func(name string, body []byte) {
				if name != "ipco" {
					return
				}
				eachBox(body, func(name string, body []byte) {
					if name == "clap" && len(body) >= len(whole) {
						copy(body, whole)
					}
				})
			})
		})
	})
	return changed
}

// cropped returns the area of a gray or RGB image, or the whole image if the area is empty or not within it.
func cropped(m image.Image, area image.Rectangle) image.Image {
	if area.Empty() || !area.In(m.Bounds()) {
		return m
	}
	var part draw.Image = image.NewNRGBA(image.Rectangle{Max: area.Size()})
	if _, gray := m.(*image.Gray); gray {
		part = image.NewGray(part.Bounds())
	}
	draw.Draw(part, part.Bounds(), m, area.Min, draw.Src)
	return part
}
