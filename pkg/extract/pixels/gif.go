package pixels

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"time"
)

func isGIF(head []byte) bool {
	return bytes.HasPrefix(head, []byte("GIF87a")) || bytes.HasPrefix(head, []byte("GIF89a"))
}

// scanGIF reads the blocks of a file. The picture has the size of the screen, enlarged by the area of the first frame.
func (i *Info) scanGIF(data []byte) (image.Config, error) {
	s, err := readGIF(data, i.tolerant)
	if err != nil {
		return image.Config{}, err
	}
	i.sequence, i.Frames = s, len(s.frames)
	config := image.Config{Width: s.canvas.X, Height: s.canvas.Y}
	const indexes, frame, before = 1, 4, 4
	i.kept = (indexes + frame + before) * pixelCount(config)
	return config, nil
}

// gif reads the blocks of a GIF (GIF89a, CompuServe 1990).
type gif struct {
	data     []byte // not yet read
	shared   [][3]byte
	control  []byte // the last graphic control extension
	result   *sequence
	tolerant bool
}

var errShort = errors.New("the file ends early")

// readGIF reads the blocks of a file without decompressing the frames. What follows the last complete frame is ignored.
func readGIF(data []byte, tolerant bool) (*sequence, error) {
	g := &gif{data: data, tolerant: tolerant, result: &sequence{plays: 1}}
	header, err := g.take(13)
	if err != nil {
		return nil, err
	}
	g.result.canvas = image.Pt(int(binary.LittleEndian.Uint16(header[6:])), int(binary.LittleEndian.Uint16(header[8:])))
	if g.shared, err = g.palette(header[10]); err != nil {
		return nil, err
	}
	for err == nil {
		err = g.block()
	}
	if len(g.result.frames) == 0 {
		if errors.Is(err, errTrailer) {
			err = errors.New("the file has no picture")
		}
		return nil, err
	}
	return g.result, nil
}

func (g *gif) take(n int) ([]byte, error) {
	if n > len(g.data) {
		return nil, errShort
	}
	part := g.data[:n]
	g.data = g.data[n:]
	return part, nil
}

// palette reads the color table that follows if the flags say so.
func (g *gif) palette(flags byte) ([][3]byte, error) {
	if flags&0x80 == 0 {
		return nil, nil
	}
	table, err := g.take(3 << (1 + flags&7))
	if err != nil {
		return nil, err
	}
	colors := make([][3]byte, len(table)/3)
	for i := range colors {
		colors[i] = [3]byte(table[3*i:])
	}
	return colors, nil
}

var errTrailer = errors.New("trailer")

func (g *gif) block() error {
	introducer, err := g.take(1)
	if err != nil {
		return err
	}
	switch introducer[0] {
	case 0: // a terminator too many
		return nil
	case 0x21:
		return g.extension()
	case 0x2c:
		return g.image()
	case 0x3b:
		return errTrailer
	default:
		return fmt.Errorf("unknown block %#x", introducer[0])
	}
}

func (g *gif) extension() error {
	label, err := g.take(1)
	if err != nil {
		return err
	}
	parts, err := g.parts()
	if err != nil || len(parts) == 0 {
		return err
	}
	switch {
	case label[0] == 0xf9 && len(parts[0]) >= 4:
		g.control = parts[0]
	case label[0] == 0xff && len(parts) > 1 && len(parts[1]) >= 3 && parts[1][0] == 1 &&
		(string(parts[0]) == "NETSCAPE2.0" || string(parts[0]) == "ANIMEXTS1.0"):
		if g.result.plays = int(binary.LittleEndian.Uint16(parts[1][1:])); g.result.plays > 0 {
			g.result.plays++ // the file states the repetitions
		}
	}
	return nil
}

// parts reads sub-blocks up to their terminator.
func (g *gif) parts() (parts [][]byte, err error) {
	for {
		size, err := g.take(1)
		if err != nil {
			return parts, err
		}
		if size[0] == 0 {
			return parts, nil
		}
		part, err := g.take(int(size[0]))
		if err != nil {
			return append(parts, g.data), err
		}
		parts = append(parts, part)
	}
}

// image reads a frame. A frame whose data is cut is not part of the result, unless it is the first one.
func (g *gif) image() error {
	head, err := g.take(9)
	if err != nil {
		return err
	}
	at := func(i int) int { return int(binary.LittleEndian.Uint16(head[i:])) }
	area := image.Rect(at(0), at(2), at(0)+at(4), at(2)+at(6))
	picture := gifPicture{size: area.Size(), interlaced: head[8]&0x40 != 0, transparent: -1, tolerant: g.tolerant, lost: g.result.lost}
	if picture.colors, err = g.palette(head[8]); err != nil {
		return err
	}
	if picture.colors == nil {
		picture.colors = g.shared
	}
	width, err := g.take(1)
	if err != nil {
		return err
	}
	picture.width = int(width[0])
	picture.parts, err = g.parts()
	f := frame{area: area, over: true, decode: picture.decode}
	if c := g.control; c != nil {
		f.delay = time.Duration(binary.LittleEndian.Uint16(c[1:])) * 10 * time.Millisecond
		switch c[0] >> 2 & 7 {
		case 2:
			f.then = disposeClear
		case 3:
			f.then = disposeRestore
		}
		if c[0]&1 != 0 {
			picture.transparent = int(c[3])
			f.decode = picture.decode
		}
		g.control = nil
	}
	s := g.result
	switch {
	case area.Empty():
		return err
	case len(s.frames) == 0:
		s.canvas = image.Pt(max(s.canvas.X, area.Max.X), max(s.canvas.Y, area.Max.Y))
	case err != nil || area.Dx()*area.Dy() > s.canvas.X*s.canvas.Y:
		return err
	}
	s.frames = append(s.frames, f)
	return err
}

func decodeGIF(ctx context.Context, d *Decoder, _ []byte, i Info) (image.Image, error) {
	return i.sequence.first(ctx, &d.codecs)
}
