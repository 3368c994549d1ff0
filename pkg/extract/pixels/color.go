package pixels

import (
	"encoding/binary"
	"image"

	"github.com/assay-project/assay/pkg/extract/pixels/icc"
)

// Messages about colors.
const (
	convertedSpace = "the colors were converted to sRGB, because the file states their color space without a profile"
	unusedProfile  = "the color profile is damaged or does not fit the picture, and was not applied"
	keptProfile    = "the color profile cannot be converted to sRGB, and was kept"
	narrowRange    = "the colors use a limited range, and were not expanded"
	highRange      = "the colors are of high dynamic range (%s), and were not converted to sRGB"
)

// setProfile sets the profile, or a remark if it cannot be used.
func (i *Info) setProfile(profile []byte) {
	if len(profile) == 0 {
		return
	}
	if i.Profile = validProfile(profile); i.Profile == nil {
		i.remarks = append(i.remarks, unusedProfile)
	}
}

// profileSpace returns the color space of a profile (ICC.1:2022, table 19), or "".
func profileSpace(profile []byte) string {
	if len(profile) < 20 {
		return ""
	}
	return string(profile[16:20])
}

// colored returns a picture of a decoded image in its color profile or in sRGB.
func colored(m image.Image, i Info) *Picture {
	if r, ok := m.(remarked); ok {
		p := colored(r.Image, i)
		p.Remarks = append(r.remarks, p.Remarks...)
		return p
	}
	p := i.color(m)
	p.Remarks = append(p.Remarks, i.remarks...)
	return p
}

func (i Info) color(m image.Image) *Picture {
	if i.space != nil {
		return transformed(m, i.space)
	}
	space := profileSpace(i.Profile)
	cmyk, inks := m.(*image.CMYK)
	switch {
	case space == "":
		return normal(m)
	case inks != (space == "CMYK"), space == "GRAY" && i.Format == WebP: // WebP has no gray pictures
		p := normal(m)
		p.Remarks = append(p.Remarks, unusedProfile)
		return p
	}
	gray := isGray(m)
	if !inks && gray == (space == "GRAY") && !i.srgb {
		p := normal(m)
		p.profile = i.Profile
		return p
	}
	t, err := icc.New(i.Profile)
	if err == nil && gray && space == "RGB " && !i.srgb && !t.Identity() {
		p := normal(m)
		p.NRGBA()
		p.profile = i.Profile
		return p
	}
	switch {
	case err == nil && inks:
		return &Picture{pixels: inksToSRGB(cmyk, t)}
	case err == nil && (!gray || t.Channels() != 4):
		return transformed(m, t)
	}
	p := normal(m)
	if !inks && gray == (space == "GRAY") {
		p.profile = i.Profile
		p.Remarks = append(p.Remarks, keptProfile)
		return p
	}
	if !inks {
		p.Remarks = append(p.Remarks, unusedProfile)
	}
	return p
}

func isGray(m image.Image) bool {
	switch m.(type) {
	case *image.Gray, *image.Gray16:
		return true
	}
	return false
}

// transformed returns a picture of m in sRGB. Samples of 16 bits are converted before they are reduced.
func transformed(m image.Image, t *icc.Transform) *Picture {
	deep := func(at func(x, y int) (r, g, b, a uint16), alpha bool) *Picture {
		out, convert := image.NewNRGBA(image.Rectangle{Max: m.Bounds().Size()}), t.Wide()
		for y := range out.Rect.Dy() {
			row := out.Pix[y*out.Stride:]
			for x := range out.Rect.Dx() {
				r, g, b, a := at(x, y)
				row[4*x], row[4*x+1], row[4*x+2] = convert(r, g, b)
				row[4*x+3] = byte(a >> 8)
			}
		}
		return &Picture{pixels: out, alpha: alpha && !out.Opaque(), Remarks: []string{reducedDepth}}
	}
	word := binary.BigEndian.Uint16
	switch m := m.(type) {
	case *image.Gray16:
		p, convert := normal(m), t.Wide()
		gray := p.pixels.(*image.Gray)
		for y := range gray.Rect.Dy() {
			for x := range gray.Rect.Dx() {
				v := word(m.Pix[y*m.Stride+2*x:])
				_, gray.Pix[y*gray.Stride+x], _ = convert(v, v, v)
			}
		}
		return p
	case *image.RGBA64: // of a 16-bit PNG without an alpha channel
		return deep(func(x, y int) (r, g, b, a uint16) {
			p := m.Pix[y*m.Stride+8*x:]
			return word(p), word(p[2:]), word(p[4:]), 0xffff
		}, false)
	case *image.NRGBA64:
		return deep(func(x, y int) (r, g, b, a uint16) {
			p := m.Pix[y*m.Stride+8*x:]
			return word(p), word(p[2:]), word(p[4:]), word(p[6:])
		}, true)
	}
	p := normal(m)
	p.toSRGB(t)
	return p
}

// toSRGB converts the samples in place, except for planes, which may be shared.
func (p *Picture) toSRGB(t *icc.Transform) {
	if t.Identity() {
		return
	}
	if gray, ok := p.pixels.(*image.Gray); ok {
		table, out := t.Gray(), image.NewGray(image.Rectangle{Max: gray.Rect.Size()})
		for y := range out.Rect.Dy() {
			row := out.Pix[y*out.Stride:]
			for x, v := range gray.Pix[y*gray.Stride:][:out.Rect.Dx()] {
				row[x] = table[v]
			}
		}
		p.pixels = out
		return
	}
	m := p.NRGBA()
	for y := range m.Rect.Dy() {
		t.RGBA(m.Pix[y*m.Stride:][:4*m.Rect.Dx()])
	}
}

func inksToSRGB(m *image.CMYK, t *icc.Transform) *image.NRGBA {
	out := image.NewNRGBA(image.Rectangle{Max: m.Rect.Size()})
	for y := range m.Rect.Dy() {
		from, to := m.Pix[y*m.Stride:], out.Pix[y*out.Stride:]
		for x := 0; x < 4*m.Rect.Dx(); x += 4 {
			to[x], to[x+1], to[x+2] = t.CMYK(from[x], from[x+1], from[x+2], from[x+3])
			to[x+3] = 0xff
		}
	}
	return out
}

// withoutGrayProfile applies and drops a profile for gray, because the picture becomes RGB.
func (p *Picture) withoutGrayProfile() {
	if profileSpace(p.profile) != "GRAY" {
		return
	}
	t, err := icc.New(p.profile)
	if p.profile = nil; err != nil {
		p.Remarks = append(p.Remarks, unusedProfile)
		return
	}
	p.toSRGB(t)
}
