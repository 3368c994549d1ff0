package pixels

import "image"

// Crop reduces the picture to the part within r. It does nothing if r and the picture do not
// overlap.
func (p *Picture) Crop(r image.Rectangle) {
	r = r.Intersect(p.pixels.Bounds())
	if r.Empty() || r == p.pixels.Bounds() {
		return
	}
	to := image.Rectangle{Max: r.Size()}
	switch m := p.pixels.(type) {
	case *image.Gray:
		p.pixels = &image.Gray{Pix: m.Pix[m.PixOffset(r.Min.X, r.Min.Y):], Stride: m.Stride, Rect: to}
		return
	case *image.YCbCr:
		if h, v := subsampling(m.SubsampleRatio); r.Min.X%h == 0 && r.Min.Y%v == 0 {
			luma, chroma := m.YOffset(r.Min.X, r.Min.Y), m.COffset(r.Min.X, r.Min.Y)
			p.pixels = &image.YCbCr{
				Y: m.Y[luma:], Cb: m.Cb[chroma:], Cr: m.Cr[chroma:],
				YStride: m.YStride, CStride: m.CStride, SubsampleRatio: m.SubsampleRatio, Rect: to,
			}
			return
		}
	}
	m := p.NRGBA()
	p.pixels = &image.NRGBA{Pix: m.Pix[m.PixOffset(r.Min.X, r.Min.Y):], Stride: m.Stride, Rect: to}
}
