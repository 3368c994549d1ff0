// Package jpegfile decodes JPEG files, also those that the standard library's image/jpeg rejects: with any sampling factors,
// with 12 bits per sample, with CMYK colors without a marker of Adobe, and files that are damaged or end early. It supports
// the sequential and progressive processes with Huffman coding.
//
// It calculates as libjpeg does, so that the samples are the same. It also encodes, faster than image/jpeg does.
package jpegfile

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
)

// Markers (ITU-T T.81, table B.1).
const (
	markerSOF0  = 0xc0
	markerDHT   = 0xc4
	markerRST0  = 0xd0
	markerRST7  = 0xd7
	markerSOI   = 0xd8
	markerEOI   = 0xd9
	markerSOS   = 0xda
	markerDQT   = 0xdb
	markerDNL   = 0xdc
	markerDRI   = 0xdd
	markerAPP0  = 0xe0
	markerAPP14 = 0xee
)

// decoder is the state of decoding a file.
type decoder struct {
	ctx      context.Context
	divisor  int // of the sides
	data     []byte
	at       int // offset of the next marker
	frame    *Frame
	jfif     bool
	adobe    int
	restart  int // units between restart markers, 0 for none
	tables   [4]*[64]uint16
	dc, ac   [4]*huffman
	run      int  // blocks without further coefficients, of a progressive scan
	damaged  bool // whether a scan lacks data
	complete bool // whether the end marker was reached
}

// Open reads the headers up to the frame, and returns it without its samples.
func Open(data []byte) (*Frame, error) {
	d := decoder{ctx: context.Background(), divisor: 1, data: data, adobe: -1}
	err := d.segments(true)
	if err == nil && d.frame == nil {
		err = errEmpty
	}
	if err != nil {
		return nil, err
	}
	d.frame.jfif, d.frame.adobe = d.jfif, d.adobe
	return d.frame, nil
}

var errEmpty = errors.New("the file contains no picture")

// Decode decodes a file that may be damaged or end early. Frame.Read states the share that could be read; the rest is
// gray. It returns an error if nothing could be read, or if ctx is done.
func Decode(ctx context.Context, data []byte) (*Frame, error) { return DecodeReduced(ctx, data, 1) }

// DecodeReduced is like Decode, but returns a frame that is reduced by a divisor of 1, 2, 4 or 8, which takes less time.
// Sides are rounded up.
func DecodeReduced(ctx context.Context, data []byte, divisor int) (*Frame, error) {
	d := decoder{ctx: ctx, divisor: divisor, data: data, adobe: -1}
	err := d.standardTables()
	if err == nil {
		err = d.segments(false)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	f := d.frame
	if f == nil || f.components[0].samples == nil || f.share() == 0 {
		return nil, cmp.Or(err, errEmpty)
	}
	f.Read = 1
	f.jfif, f.adobe = d.jfif, d.adobe
	for _, c := range f.components {
		if d.damaged || !d.complete || err != nil || c.quantization == nil {
			f.Read = f.share()
		}
		c.reconstruct(f.Precision)
	}
	f.reduce(divisor)
	return f, nil
}

// segments reads segments until the end of the file, or until the frame header.
func (d *decoder) segments(header bool) error {
	if len(d.data) < 2 || d.data[0] != 0xff || d.data[1] != 0xd8 {
		return errors.New("the file does not begin with SOI")
	}
	d.at = 2
	for {
		if d.ctx.Err() != nil {
			return context.Cause(d.ctx)
		}
		for d.at+1 < len(d.data) && (d.data[d.at] != 0xff || d.data[d.at+1] == 0 || d.data[d.at+1] == 0xff) { // data without a meaning
			d.at++
		}
		if d.at+2 > len(d.data) {
			return errors.New("the file ends early")
		}
		marker := d.data[d.at+1]
		d.at += 2
		switch {
		case marker == markerEOI:
			d.complete = true
			return nil
		case marker >= markerRST0 && marker <= markerRST7 || marker == 1:
			continue
		}
		if d.at+2 > len(d.data) {
			return errors.New("the file ends early")
		}
		size := int(binary.BigEndian.Uint16(d.data[d.at:]))
		if size < 2 || d.at+size > len(d.data) {
			return errors.New("a segment is longer than the file")
		}
		body := d.data[d.at+2 : d.at+size]
		d.at += size
		if err := d.segment(marker, body, header); err != nil {
			return err
		}
		if header && d.frame != nil {
			return nil
		}
	}
}

func (d *decoder) segment(marker byte, body []byte, header bool) (err error) {
	switch {
	case marker == markerDHT:
		return d.huffmanTables(body)
	case marker == markerDQT:
		return d.quantizationTables(body)
	case marker == markerDRI && len(body) >= 2:
		d.restart = int(binary.BigEndian.Uint16(body))
	case marker == markerAPP0:
		d.jfif = d.jfif || bytes.HasPrefix(body, []byte("JFIF\x00"))
	case marker == markerAPP14 && len(body) >= 12 && bytes.HasPrefix(body, []byte("Adobe")):
		d.adobe = int(body[11])
	case marker == markerSOS:
		if d.frame == nil {
			return errors.New("a scan precedes the frame")
		}
		return d.scan(body)
	case marker >= 0xc0 && marker <= 0xcf && marker != 0xc8 && marker != 0xcc || marker == 0xf7:
		if d.frame != nil {
			return errors.New("the file has two frames")
		}
		if d.frame, err = newFrame(marker, body); err != nil {
			return err
		}
		if d.frame.Height == 0 {
			d.frame.Height = d.lines()
			d.frame.measure()
		}
		if d.frame.Width == 0 || d.frame.Height == 0 {
			return errors.New("the frame is empty")
		}
		if !header {
			for _, c := range d.frame.components {
				c.side = 8 / d.divisor
			}
			d.frame.allocate()
		}
	}
	return nil
}

// lines returns the height in the DNL segment, which follows the first scan if the frame header has none.
func (d *decoder) lines() int {
	at := bytes.Index(d.data[d.at:], []byte{0xff, markerDNL, 0, 4})
	if at < 0 || d.at+at+6 > len(d.data) {
		return 0
	}
	return int(binary.BigEndian.Uint16(d.data[d.at+at+4:]))
}

func (d *decoder) quantizationTables(b []byte) error {
	for len(b) > 0 {
		width, id := int(b[0]>>4)+1, b[0]&15
		if width > 2 || id > 3 || len(b) < 1+64*width {
			return errors.New("a quantization table is damaged")
		}
		table := new([64]uint16)
		for i := range table {
			if width == 2 {
				table[zigzag[i]] = binary.BigEndian.Uint16(b[1+2*i:])
			} else {
				table[zigzag[i]] = uint16(b[1+i])
			}
		}
		d.tables[id], b = table, b[1+64*width:]
	}
	return nil
}

func (d *decoder) huffmanTables(b []byte) error {
	for len(b) >= 17 {
		class, id, n := b[0]>>4, b[0]&15, 0
		for _, count := range b[1:17] {
			n += int(count)
		}
		if class > 1 || id > 3 || n > 256 || len(b) < 17+n {
			return errors.New("a Huffman table is damaged")
		}
		h, err := newHuffman(b[1:17], b[17:17+n])
		if err != nil {
			return err
		}
		if class == 0 {
			d.dc[id] = h
		} else {
			h.lookAhead()
			d.ac[id] = h
		}
		b = b[17+n:]
	}
	return nil
}
