package samples

import (
	"context"
	"image"
	"image/color"
)

// Draw returns the pixels, without the orientation, and the share of them that could be read. Samples of more than 8 bits
// lose their low bits; floating-point numbers are 0 to 1, in linear light if Linear. It returns ErrDamaged, or the error of ctx.
func (c *Colors) Draw(ctx context.Context) (m *image.NRGBA, read float64, err error) {
	p := &c.plane
	m = image.NewNRGBA(image.Rect(0, 0, c.Width, c.Height))
	blocks := p.across() * p.down()
	planes := 1
	if c.separate {
		planes = c.channels
	}
	for i := range blocks {
		if ctx.Err() != nil {
			return nil, 0, context.Cause(ctx)
		}
		left, top := i%p.across()*p.blockWidth, i/p.across()*p.blockHeight
		area := image.Rect(left, top, min(left+p.blockWidth, c.Width), min(top+p.blockHeight, c.Height))
		if p.compression == compressionJPEG && !c.separate {
			tile, err := c.jpeg(ctx, i)
			if err != nil {
				return nil, 0, err
			}
			c.copyJPEG(m, tile, area)
			read += 1 / float64(blocks)
			continue
		}
		height := p.blockHeight
		if p.blockWidth == c.Width { // the last strip is shorter; tiles are complete
			height = area.Dy()
		}
		stored := make([][]byte, planes)
		for k := range stored {
			var part float64
			if p.compression == compressionJPEG {
				return nil, 0, unsupported("JPEG compression of separate planes")
			}
			if stored[k], part, err = c.block(i+k*blocks, height); err != nil {
				return nil, 0, err
			}
			read += part / float64(blocks*planes)
		}
		c.draw(m, stored, area)
	}
	if read > 1-1e-9 {
		read = 1
	}
	return m, read, nil
}

// draw converts a strip or tile.
func (c *Colors) draw(m *image.NRGBA, stored [][]byte, area image.Rectangle) {
	if c.horizontal*c.vertical > 1 {
		c.drawUnits(m, stored[0], area)
		return
	}
	row := c.rowBytes()
	var pixel [5]int // the channels of the color and alpha
	n := needed[c.photometric]
	sample, opacity := c.sampler(), c.sampler()
	if c.Linear() {
		sample = c.encoded()
	}
	for y := range area.Dy() {
		out := m.Pix[m.PixOffset(area.Min.X, area.Min.Y+y):]
		for x := range area.Dx() {
			for k := range n {
				pixel[k] = c.at(stored, y*row, x, k, sample)
			}
			to := out[4*x : 4*x+4 : 4*x+4]
			to[3] = 0xff
			c.color(to, pixel[:n])
			if c.alpha >= 0 {
				to[3] = byte(c.at(stored, y*row, x, c.alpha, opacity))
				if a := int(to[3]); c.premultiplied && a > 0 && a < 255 {
					for k := range 3 {
						to[k] = byte(min((int(to[k])*255+a/2)/a, 255))
					}
				}
			}
		}
	}
}

// at returns channel k of pixel x of the row that begins at an offset.
func (c *Colors) at(stored [][]byte, row, x, k int, sample func([]byte, int) int) int {
	if c.separate {
		return sample(stored[k][row:], x)
	}
	return sample(stored[0][row:], x*c.channels+k)
}

// sampler returns a function that returns sample i of a row: of a palette as it is, otherwise scaled to 8 bits.
func (c *Colors) sampler() func(row []byte, i int) int {
	p := &c.plane
	indexed := c.photometric == photometricPalette
	switch {
	case p.bits == 8:
		return func(row []byte, i int) int { return int(row[i]) }
	case p.bits == 16 && p.format != formatFloat && !indexed:
		high := 1
		if p.order.String() == "BigEndian" {
			high = 0
		}
		return func(row []byte, i int) int { return int(row[2*i+high]) }
	case p.format == formatFloat:
		width := p.bits / 8
		return func(row []byte, i int) int {
			v := p.value(row[i*width:])
			if !(v > 0) { // also NaN
				return 0
			}
			return int(min(v, 1)*255 + 0.5)
		}
	case p.bits >= 32:
		width := p.bits / 8
		high := width - 1
		if p.order.String() == "BigEndian" {
			high = 0
		}
		return func(row []byte, i int) int { return int(row[width*i+high]) }
	case p.bits == 16:
		return func(row []byte, i int) int { return int(p.order.Uint16(row[2*i:])) }
	default:
		most := 1<<p.bits - 1
		return func(row []byte, i int) int {
			v := 0
			for bit := i * p.bits; bit < (i+1)*p.bits; bit++ {
				v = v<<1 | int(row[bit/8]>>(7-bit%8)&1)
			}
			if indexed {
				return v
			}
			return v * 255 / most
		}
	}
}

// color writes the color of a pixel.
func (c *Colors) color(to []byte, pixel []int) {
	signed := 0 // half of the range, which black of signed samples has
	if c.plane.format == formatSigned && c.photometric != photometricLab {
		signed = 0x80
	}
	switch c.photometric {
	case photometricWhite:
		v := byte(255 - pixel[0] ^ signed)
		to[0], to[1], to[2] = v, v, v
	case photometricBlack, photometricMask:
		v := byte(pixel[0] ^ signed)
		to[0], to[1], to[2] = v, v, v
	case photometricRGB:
		to[0], to[1], to[2] = byte(pixel[0]^signed), byte(pixel[1]^signed), byte(pixel[2]^signed)
	case photometricPalette:
		if pixel[0] < len(c.palette) {
			copy(to, c.palette[pixel[0]][:])
		}
	case photometricCMYK:
		inks := c.Inks
		if inks == nil {
			inks = color.CMYKToRGB
		}
		to[0], to[1], to[2] = inks(byte(pixel[0]), byte(pixel[1]), byte(pixel[2]), byte(pixel[3]))
	case photometricYCbCr:
		to[0], to[1], to[2] = c.luma(byte(pixel[0]), byte(pixel[1]), byte(pixel[2]))
	case photometricLab:
		to[0], to[1], to[2] = labToRGB(float64(pixel[0])/2.55, float64(int8(pixel[1])), float64(int8(pixel[2])))
	case photometricICCLab:
		to[0], to[1], to[2] = labToRGB(float64(pixel[0])/2.55, float64(pixel[1]-128), float64(pixel[2]-128))
	}
}

// drawUnits converts subsampled Y'CbCr: units of luma samples with their chroma samples.
func (c *Colors) drawUnits(m *image.NRGBA, stored []byte, area image.Rectangle) {
	h, v := c.horizontal, c.vertical
	row, unit := c.rowBytes(), h*v+2
	for y := range area.Dy() {
		for x := range area.Dx() {
			at := stored[y/v*row+x/h*unit:][:unit]
			to := m.Pix[m.PixOffset(area.Min.X+x, area.Min.Y+y):][:4]
			to[0], to[1], to[2] = c.luma(at[y%v*h+x%h], at[h*v], at[h*v+1])
			to[3] = 0xff
		}
	}
}

// copyJPEG copies a strip or tile that was a JPEG.
func (c *Colors) copyJPEG(m *image.NRGBA, tile image.Image, area image.Rectangle) {
	from := tile.Bounds().Min
	area = area.Intersect(image.Rectangle{Min: area.Min, Max: area.Min.Add(tile.Bounds().Size())})
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			p := color.NRGBAModel.Convert(tile.At(from.X+x-area.Min.X, from.Y+y-area.Min.Y)).(color.NRGBA)
			if c.photometric == photometricWhite {
				p.R, p.G, p.B = 255-p.R, 255-p.G, 255-p.B
			}
			m.SetNRGBA(x, y, p)
		}
	}
}
