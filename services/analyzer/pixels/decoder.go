package pixels

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/webp"
	"golang.org/x/sync/semaphore"
)

// Decoder decodes pictures and bounds the memory of all attempts on them together.
// It is safe for concurrent use.
type Decoder struct {
	memory int64
	free   *semaphore.Weighted
	heif   heif
	webp   webpEncoder
}

// NewDecoder returns a Decoder whose attempts take at most so many bytes of memory
// together. The caller closes it.
func NewDecoder(memory int64) *Decoder {
	return &Decoder{memory: memory, free: semaphore.NewWeighted(memory)}
}

// Close releases the decoders. No picture may be decoded meanwhile, and none that was is
// written as WebP any more.
func (d *Decoder) Close(ctx context.Context) error {
	return errors.Join(d.heif.close(ctx), d.webp.close(ctx))
}

// Decode inspects a picture, waits until the memory of the whole attempt is free
// (Info.Memory), decodes it and turns it upright. The caller calls release when it is
// done with the picture and with what it encoded from it.
//
// The errors are those of Inspect, ErrTooLarge when the attempt never fits into the
// memory, and the context's. A decoder that runs is not stopped: its work is bounded
// by the limits.
func (d *Decoder) Decode(ctx context.Context, data []byte, l Limits) (p *Picture, release func(), err error) {
	info, err := Inspect(data, l)
	if err != nil {
		return nil, nil, err
	}
	need := info.Memory()
	if need > d.memory {
		return nil, nil, fmt.Errorf("%w: it takes %d MB of memory, at most %d", ErrTooLarge, need>>20, d.memory>>20)
	}
	if err := d.free.Acquire(ctx, need); err != nil {
		return nil, nil, err
	}
	defer func() {
		if p == nil { // also when a decoder panics
			d.free.Release(need)
		}
	}()
	m, err := d.decode(ctx, data, info)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	p = upright(m, info)
	p.webp = &d.webp
	return p, func() { d.free.Release(need) }, nil
}

func (d *Decoder) decode(ctx context.Context, data []byte, info Info) (image.Image, error) {
	switch info.Format {
	case JPEG:
		return jpeg.Decode(bytes.NewReader(data))
	case PNG:
		return png.Decode(bytes.NewReader(data))
	case WebP:
		return webp.Decode(bytes.NewReader(data))
	case GIF, BMP, TIFF:
		return decodeMore(data, info.Format)
	default:
		return d.heif.decode(ctx, data, info)
	}
}

// upright applies the orientation, but HEIC's, which its decoder applies.
func upright(m image.Image, info Info) *Picture {
	p := normal(m)
	if _, gray := p.pixels.(*image.Gray); !gray { // its profile is of RGB
		p.profile = info.Profile
	}
	if info.Format != HEIC {
		p.orient(info.Orientation)
	}
	return p
}
