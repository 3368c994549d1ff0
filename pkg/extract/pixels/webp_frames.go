package pixels

import (
	"context"
	"encoding/binary"
	"errors"
	"image"
	"time"
)

// webpSequence reads the frames of an animation (RFC 9649, section 2.7.1.1). As in browsers, the background is
// transparent. The second result is the maximum memory for decoding any of the frames.
func webpSequence(data []byte, canvas image.Point) (*sequence, int64, error) {
	s := &sequence{canvas: canvas}
	var kept int64
	var err error
	eachChunk(data, func(name string, body []byte) {
		switch {
		case name == "ANIM" && len(body) >= 6:
			s.plays = int(binary.LittleEndian.Uint16(body[4:]))
		case name == "ANMF" && len(body) >= 16 && err == nil:
			var picture webpFrame
			chunksOf(body[16:], picture.add)
			f := frame{delay: time.Duration(uint24(body[12:])) * time.Millisecond, over: body[15]&2 == 0}
			f.area.Min = image.Pt(2*uint24(body), 2*uint24(body[3:]))
			f.area.Max = f.area.Min.Add(image.Pt(1+uint24(body[6:]), 1+uint24(body[9:])))
			if body[15]&1 != 0 {
				f.then = disposeClear
			}
			if picture.size != f.area.Size() || !f.area.In(image.Rectangle{Max: canvas}) {
				err = errors.New("a frame does not have the size that it states, or is outside of the canvas")
				return
			}
			f.decode = func(ctx context.Context, c *codecs) (*image.NRGBA, error) { return picture.decode(ctx, c.webp) }
			kept = max(kept, picture.memory())
			s.frames = append(s.frames, f)
		}
	})
	return s, kept, err
}

// encodeWebP returns the animation as a WebP. A frame is stored as the area that differs from the one before.
func (a *Animation) encodeWebP(quality int) ([]byte, error) {
	first := a.Frames[0]
	canvas := []byte{webpAnimation, 0, 0, 0}
	canvas = appendUint24(appendUint24(canvas, first.Width()-1), first.Height()-1)
	var frames []byte
	for i, p := range a.Frames {
		m := p.NRGBA()
		if p.alpha {
			canvas[0] |= webpAlpha
		}
		area := m.Rect
		if i > 0 {
			area = changed(a.Frames[i-1].NRGBA(), m)
			area.Min.X, area.Min.Y = area.Min.X&^1, area.Min.Y&^1 // the format stores halves
			area.Max.X, area.Max.Y = max(area.Max.X, area.Min.X+1), max(area.Max.Y, area.Min.Y+1)
		}
		part := m.SubImage(area).(*image.NRGBA)
		file, err := first.webp(part, quality, part.Opaque())
		if err != nil {
			return nil, err
		}
		body := appendUint24(appendUint24(nil, area.Min.X/2), area.Min.Y/2)
		body = appendUint24(appendUint24(body, area.Dx()-1), area.Dy()-1)
		body = appendUint24(body, min(int(a.Delays[i].Milliseconds()), 1<<24-1))
		const replace = 2
		body = append(body, replace)
		eachChunk(file, func(name string, chunk []byte) {
			if name == "ALPH" || name == "VP8 " || name == "VP8L" {
				body = appendChunkTo(body, name, chunk)
			}
		})
		frames = appendChunkTo(frames, "ANMF", body)
	}
	control := binary.LittleEndian.AppendUint16(make([]byte, 4), uint16(min(a.Plays, 1<<16-1)))
	file := riffOf(append(appendChunkTo(appendChunkTo(nil, "VP8X", canvas), "ANIM", control), frames...))
	if first.profile == nil {
		return file, nil
	}
	return webpProfile(file, first.profile), nil
}

func appendUint24(b []byte, v int) []byte { return append(b, byte(v), byte(v>>8), byte(v>>16)) }
