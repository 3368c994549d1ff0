package samples

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"
	"math/bits"
	"strings"

	"golang.org/x/image/ccitt"
)

// block returns the samples of strip or tile i with a height, without the predictor. Missing bytes are 0, and read is the
// share that was there.
func (c *Colors) block(i, height int) (out []byte, read float64, err error) {
	p := &c.plane
	row := c.rowBytes()
	size := row * ((height + c.vertical - 1) / c.vertical)
	out = make([]byte, size)
	raw, whole := c.stored(i)
	switch p.compression {
	case compressionHuffman, compressionG3, compressionG4:
		raw, err = c.fax(raw, height)
	default:
		if c.reversed {
			raw = bytes.Clone(raw)
			for i, b := range raw {
				raw[i] = bits.Reverse8(b)
			}
		}
		raw, err = compressions[p.compression](raw, int64(size))
	}
	n := copy(out, raw)
	if n == 0 && size > 0 && whole && err != nil {
		return nil, 0, fmt.Errorf("%w: strip or tile %d: %w", ErrDamaged, i, err)
	}
	for at := 0; at < len(out) && p.predictor != predictorNone; at += row {
		if p.predictor == predictorFloat {
			p.interleave(out[at : at+row])
		} else {
			p.sum(out[at : at+row])
		}
	}
	return out, float64(n) / float64(max(size, 1)), nil
}

// stored returns the compressed bytes of a strip or tile, and whether they are all in the file.
func (c *Colors) stored(i int) ([]byte, bool) {
	at, count, size := c.plane.offsets[i], c.plane.counts[i], int64(len(c.plane.data))
	if at < 0 || count < 0 || at > size {
		return nil, false
	}
	return c.plane.data[at : at+min(count, size-at)], count <= size-at
}

// fax decompresses rows of 1 bit.
func (c *Colors) fax(data []byte, height int) ([]byte, error) {
	const twoDimensional = 1
	order, format, align := ccitt.MSB, ccitt.Group3, false
	if c.reversed {
		order = ccitt.LSB
	}
	switch c.plane.compression {
	case compressionG4:
		format = ccitt.Group4
	case compressionHuffman:
		return nil, unsupported("the Huffman compression of TIFF")
	default:
		if c.directory.first(tagT4Options, 0)&twoDimensional != 0 {
			return nil, unsupported("two-dimensional Group 3 compression")
		}
	}
	// The reader returns 1 for black, and TIFF stores what the photometric interpretation says for white as 0.
	r := ccitt.NewReader(bytes.NewReader(data), order, format, c.plane.blockWidth, height, &ccitt.Options{Invert: true, Align: align})
	out, err := io.ReadAll(io.LimitReader(r, int64(c.rowBytes())*int64(height)))
	if err != nil && len(out) == 0 && strings.Contains(err.Error(), "End-of-Line") {
		err = unsupported("Group 3 compression without codes at the ends of lines")
	}
	return out, err
}

// jpeg returns strip or tile i.
func (c *Colors) jpeg(ctx context.Context, i int) (image.Image, error) {
	data, _ := c.stored(i)
	if t := c.tables; len(t) > 4 && len(data) > 2 { // the tables without EOI, the strip without SOI
		data = bytes.Join([][]byte{t[:len(t)-2], data[2:]}, nil)
	}
	if c.JPEG == nil {
		return nil, unsupported("JPEG compression")
	}
	if c.photometric == photometricRGB && c.channels == 3 || c.photometric == photometricCMYK {
		// Without the marker of Adobe, the decoder assumes Y'CbCr, and refuses CMYK.
		adobe := []byte("\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00")
		data = bytes.Join([][]byte{data[:min(2, len(data))], adobe, data[min(2, len(data)):]}, nil)
	}
	return c.JPEG(ctx, data)
}
