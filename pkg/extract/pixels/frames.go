package pixels

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"slices"
	"time"
)

// Animation is a decoded animation, or a still picture as an animation of one frame.
type Animation struct {
	Frames []*Picture      // at least one; each shows the whole picture at its time
	Delays []time.Duration // how long each frame is shown
	Plays  int             // how often the frames are shown; 0 means forever
}

// sequence is an encoded animation.
type sequence struct {
	canvas  image.Point
	frames  []frame
	plays   int
	remarks []string // of decoding
}

// lost adds a remark, once.
func (s *sequence) lost(remark string) {
	if !slices.Contains(s.remarks, remark) {
		s.remarks = append(s.remarks, remark)
	}
}

// frame is a part of the canvas that changes at a time.
type frame struct {
	area  image.Rectangle // on the canvas
	delay time.Duration
	over  bool // drawn over the canvas; otherwise, it replaces its area
	then  disposal
	// decode returns the pixels of the area.
	decode func(ctx context.Context, c *codecs) (*image.NRGBA, error)
}

// disposal is what happens to the area of a frame before the next one is drawn.
type disposal int

const (
	disposeNone    disposal = iota
	disposeClear            // becomes transparent
	disposeRestore          // becomes what it was before the frame
)

// each composes the frames in order and calls f with the canvas at each of them, which f must not keep.
func (s *sequence) each(ctx context.Context, c *codecs, f func(*image.NRGBA) error) error {
	canvas := image.NewNRGBA(image.Rectangle{Max: s.canvas})
	for _, next := range s.frames {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m, err := next.decode(ctx, c)
		if err != nil {
			return err
		}
		var before []byte
		if next.then == disposeRestore {
			before = bytes.Clone(canvas.Pix)
		}
		place(canvas, m, next)
		if err := f(canvas); err != nil {
			return err
		}
		switch next.then {
		case disposeClear:
			erase(canvas, next.area)
		case disposeRestore:
			canvas.Pix = before
		}
	}
	return nil
}

// place draws a frame on the canvas.
func place(canvas, m *image.NRGBA, f frame) {
	area := f.area.Intersect(canvas.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		from := m.Pix[m.PixOffset(m.Rect.Min.X+area.Min.X-f.area.Min.X, m.Rect.Min.Y+y-f.area.Min.Y):][:4*area.Dx()]
		to := canvas.Pix[canvas.PixOffset(area.Min.X, y):][:4*area.Dx()]
		if !f.over {
			copy(to, from)
			continue
		}
		for x := 0; x < len(to); x += 4 {
			over(to[x:x+4:x+4], from[x:x+4:x+4], 100*int(from[x+3]))
		}
	}
}

func erase(canvas *image.NRGBA, area image.Rectangle) {
	area = area.Intersect(canvas.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := canvas.Pix[canvas.PixOffset(area.Min.X, y):][:4*area.Dx()]
		for i := range row {
			row[i] = 0
		}
	}
}

// first returns the canvas at the first frame.
func (s *sequence) first(ctx context.Context, c *codecs) (*image.NRGBA, error) {
	f := s.frames[0]
	m, err := f.decode(ctx, c)
	if err != nil {
		return nil, err
	}
	canvas := image.NewNRGBA(image.Rectangle{Max: s.canvas})
	place(canvas, m, f)
	return canvas, nil
}

// remark states that an animation was reduced to its first frame.
func (i Info) remark() string {
	if i.Frames > 1 {
		return fmt.Sprintf("only the first of %d frames was used", i.Frames)
	}
	return "only the first frame of the animation was used"
}

// animation decodes all frames.
func (i Info) animation(ctx context.Context, d *Decoder) (*Animation, error) {
	a := &Animation{Plays: i.sequence.plays}
	err := i.sequence.each(ctx, &d.codecs, func(canvas *image.NRGBA) error {
		m := *canvas
		m.Pix = bytes.Clone(canvas.Pix)
		p := upright(&m, i)
		p.codecs = &d.codecs
		a.Frames = append(a.Frames, p)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, f := range i.sequence.frames {
		a.Delays = append(a.Delays, f.delay)
	}
	a.Frames[0].Remarks = append(a.Frames[0].Remarks, i.sequence.remarks...)
	return a, nil
}

// Encode returns the animation as a file: a GIF or WebP with all frames, and another format if there is only one.
func (a *Animation) Encode(e Encoding) (file []byte, err error) {
	switch {
	case len(a.Frames) == 1:
		return a.Frames[0].Encode(e)
	case e.Format == GIF:
		file, err = a.encodeGIF()
	case e.Format == WebP:
		file, err = a.encodeWebP(cmp.Or(e.Quality, webpQuality))
	default:
		err = fmt.Errorf("%s cannot be animated", e.Format)
	}
	if err != nil {
		return nil, fmt.Errorf("encoding an animation as %s: %w", e.Format, err)
	}
	return file, nil
}

// changed returns the smallest area with all pixels that differ between two pictures of one size.
func changed(a, b *image.NRGBA) (area image.Rectangle) {
	for y := range a.Rect.Dy() {
		p, q := a.Pix[y*a.Stride:][:4*a.Rect.Dx()], b.Pix[y*b.Stride:][:4*a.Rect.Dx()]
		if bytes.Equal(p, q) {
			continue
		}
		left, right := 0, len(p)-4
		for bytes.Equal(p[left:left+4], q[left:left+4]) {
			left += 4
		}
		for bytes.Equal(p[right:right+4], q[right:right+4]) {
			right -= 4
		}
		area = area.Union(image.Rect(left/4, y, right/4+1, y+1))
	}
	return area
}
