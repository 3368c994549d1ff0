package jpegfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Frame is a frame of a JPEG.
type Frame struct {
	Width, Height int
	Precision     int     // bits per sample, 8 or 12
	Read          float64 // share of the picture that could be read, from 0 to 1

	progressive bool
	components  []*component
	across      int // units of the frame per row; a unit has one block of each component and sampling factor
	down        int
	h, v        int // largest sampling factors
	jfif        bool
	adobe       int // color transform of Adobe's segment, -1 without one
}

// component is a color component of a frame.
type component struct {
	id            byte
	h, v          int         // sampling factors
	table         int         // quantization table
	width, height int         // in samples
	across, down  int         // in blocks, up to the end of the last unit
	side          int         // of the samples of a block: 8, or less in a reduced frame
	blocks        int         // in a row of a scan that contains no other component
	rows          int         // of blocks in such a scan
	coefficients  []int16     // of a progressive frame
	quantization  *[64]uint16 // of the first scan
	done          [64]float64 // share of the blocks whose coefficient is complete
	dc, ac        *huffman    // tables of the current scan
	last          int         // last DC coefficient
	samples       []byte
}

// ErrUnsupported is the error of a JPEG with a coding process that is not supported. The wrapping error names it.
var ErrUnsupported = errors.New("this kind of JPEG is not supported")

// unsupported names the coding process of an SOF marker that is not supported (ITU-T T.81, table B.1), or returns "".
func unsupported(marker byte) string {
	switch marker {
	case 0xc3, 0xcb:
		return "lossless coding"
	case 0xc9, 0xca:
		return "arithmetic coding"
	case 0xc5, 0xc6, 0xc7, 0xcd, 0xce, 0xcf:
		return "hierarchical coding"
	case 0xf7:
		return "JPEG-LS coding"
	}
	return ""
}

// newFrame parses a frame header without allocating memory for the samples.
func newFrame(marker byte, body []byte) (*Frame, error) {
	if name := unsupported(marker); name != "" {
		return nil, fmt.Errorf("%w: %s", ErrUnsupported, name)
	}
	if len(body) < 6 || len(body) != 6+3*int(body[5]) {
		return nil, errors.New("the frame header has a wrong length")
	}
	f := &Frame{
		Precision: int(body[0]), Height: int(binary.BigEndian.Uint16(body[1:])), Width: int(binary.BigEndian.Uint16(body[3:])),
		progressive: marker == 0xc2, h: 1, v: 1, adobe: -1,
	}
	if f.Precision != 8 && f.Precision != 12 {
		return nil, fmt.Errorf("%w: %d bits per sample", ErrUnsupported, f.Precision)
	}
	if n := body[5]; n != 1 && n != 3 && n != 4 {
		return nil, fmt.Errorf("%w: %d color components", ErrUnsupported, n)
	}
	for b := body[6:]; len(b) >= 3; b = b[3:] {
		c := &component{id: b[0], h: int(b[1] >> 4), v: int(b[1] & 15), table: int(b[2])}
		if c.h < 1 || c.h > 4 || c.v < 1 || c.v > 4 || c.table > 3 {
			return nil, errors.New("the frame header has a wrong sampling factor or table")
		}
		f.h, f.v = max(f.h, c.h), max(f.v, c.v)
		f.components = append(f.components, c)
	}
	if len(f.components) == 1 { // its factors have no meaning
		f.components[0].h, f.components[0].v, f.h, f.v = 1, 1, 1, 1
	}
	f.measure()
	return f, nil
}

// measure computes the sizes that depend on the height of the frame.
func (f *Frame) measure() {
	f.across, f.down = ceil(f.Width, 8*f.h), ceil(f.Height, 8*f.v)
	for _, c := range f.components {
		c.width, c.height = ceil(f.Width*c.h, f.h), ceil(f.Height*c.v, f.v)
		c.across, c.down, c.side = f.across*c.h, f.down*c.v, 8
		c.blocks, c.rows = ceil(c.width, 8), ceil(c.height, 8)
	}
}

// Memory returns the number of bytes that Decode and Image allocate.
func (f *Frame) Memory() int64 {
	block := int64(64) // samples
	if f.progressive {
		block += 2 * 64 // and coefficients
	}
	var blocks int64
	for _, c := range f.components {
		blocks += int64(c.across) * int64(c.down)
	}
	memory := blocks * block
	if f.separate() {
		return memory
	}
	return memory + int64(f.Width)*int64(f.Height)*4 // RGBA or CMYK
}

// allocate prepares for scans. The samples are gray until they are decoded.
func (f *Frame) allocate() {
	for _, c := range f.components {
		if f.progressive {
			c.coefficients = make([]int16, 64*c.across*c.down)
		}
		c.samples = bytes.Repeat([]byte{128}, c.side*c.side*c.across*c.down)
	}
}

// share returns the mean share of all coefficients that is complete.
func (f *Frame) share() float64 {
	var sum float64
	for _, c := range f.components {
		for _, done := range c.done {
			sum += done
		}
	}
	return sum / float64(64*len(f.components))
}

func ceil(a, b int) int { return (a + b - 1) / b }
