package samples

import (
	"context"
	"image"
	"math"
)

// Gray draws the plane. The least finite value becomes black, the greatest white, and NaN black; unsigned values of 8 bits are
// unchanged. It returns ErrDamaged, or the error of ctx.
func (p *Plane) Gray(ctx context.Context) (*image.Gray, error) {
	values := make([]float32, p.Width*p.Height)
	low, high := math.Inf(1), math.Inf(-1)
	for i := range p.across() * p.down() {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		left, top := i%p.across()*p.blockWidth, i/p.across()*p.blockHeight
		height := p.blockHeight
		if p.blockWidth == p.Width { // the last strip is shorter; tiles are complete
			height = min(height, p.Height-top)
		}
		block, err := p.block(i, height)
		if err != nil {
			return nil, err
		}
		step := p.samples * p.bits / 8
		for y := range min(height, p.Height-top) {
			for x := range min(p.blockWidth, p.Width-left) {
				v := p.value(block[(y*p.blockWidth+x)*step:])
				values[(top+y)*p.Width+left+x] = float32(v)
				if v = float64(float32(v)); v-v == 0 { // finite
					low, high = min(low, v), max(high, v)
				}
			}
		}
	}
	if p.bits == 8 && p.format == formatUnsigned {
		low, high = 0, 255
	}
	m := image.NewGray(image.Rect(0, 0, p.Width, p.Height))
	for i, v := range values {
		part := (float64(v) - low) / (high - low)
		if !(part >= 0) { // also NaN
			part = 0
		}
		shade := uint8(math.Round(255 * min(part, 1)))
		if p.inverted {
			shade = 255 - shade
		}
		m.Pix[i] = shade
	}
	return m, nil
}

// value returns the sample at the beginning of b.
func (p *Plane) value(b []byte) float64 {
	var bits uint64
	switch p.bits {
	case 8:
		bits = uint64(b[0])
	case 16:
		bits = uint64(p.order.Uint16(b))
	case 32:
		bits = uint64(p.order.Uint32(b))
	default:
		bits = p.order.Uint64(b)
	}
	switch {
	case p.format == formatUnsigned:
		return float64(bits)
	case p.format == formatSigned:
		return float64(int64(bits<<(64-p.bits)) >> (64 - p.bits))
	case p.bits == 64:
		return math.Float64frombits(bits)
	case p.bits == 32:
		return float64(math.Float32frombits(uint32(bits)))
	default:
		return half(uint16(bits))
	}
}

// half returns a number of IEEE 754 with 16 bits.
func half(bits uint16) float64 {
	sign, exponent, fraction := 1-2*float64(bits>>15), int(bits>>10&31), float64(bits&1023)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	default:
		return sign * math.Ldexp(1024+fraction, exponent-25)
	}
}
