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

	"github.com/assay-project/assay/pkg/engines"
)

// Decoder decodes pictures within a memory limit. It is safe for concurrent use.
type Decoder struct {
	memory int64
	free   *semaphore.Weighted
	heif   heif
	webp   webpEncoder
}

// NewDecoder returns a Decoder that uses at most the given number of bytes for all concurrent
// pictures. The codecs of HEIC and WebP are compiled at the first call of Prepare, or when a picture
// first needs one. The caller must close the Decoder.
func NewDecoder(memory int64, c engines.Config) *Decoder {
	return &Decoder{memory: memory, free: semaphore.NewWeighted(memory), heif: newHEIF(c), webp: newWebPEncoder(c)}
}

// Prepare waits until the codecs are compiled, or ctx is done.
func (d *Decoder) Prepare(ctx context.Context) error {
	return errors.Join(d.heif.Prepare(ctx), d.webp.Prepare(ctx))
}

// Close releases the codecs. It must not be called while Decode is running. After Close, decoded
// pictures cannot be encoded as WebP.
func (d *Decoder) Close(ctx context.Context) error {
	return errors.Join(d.heif.Close(ctx), d.webp.Close(ctx))
}

// Decode inspects a picture, waits until the memory for processing it (Info.Memory) is available,
// decodes it and applies its orientation. The caller must call release when it no longer needs the
// picture and its encodings.
//
// It returns the errors of Inspect, ErrTooLarge if the picture needs more than the total memory, or the
// error of ctx. Canceling ctx stops the HEIC decoder, but not the others, whose work is bounded by the
// limits.
func (d *Decoder) Decode(ctx context.Context, data []byte, l Limits) (p *Picture, release func(), err error) {
	info, err := Inspect(data, l)
	if err != nil {
		return nil, nil, err
	}
	need := info.Memory()
	if need > d.memory {
		return nil, nil, fmt.Errorf("%w: processing it takes %d MB of memory; the limit is %d MB", ErrTooLarge, need>>20, d.memory>>20)
	}
	if info.Format == HEIC {
		if err := d.heif.Prepare(ctx); err != nil {
			return nil, nil, err
		}
	}
	if err := d.free.Acquire(ctx, need); err != nil {
		return nil, nil, err
	}
	defer func() {
		if p == nil { // even if a decoder panics
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

// upright applies the orientation, except for HEIC, where the decoder has applied it.
func upright(m image.Image, info Info) *Picture {
	p := normal(m)
	if _, gray := p.pixels.(*image.Gray); !gray { // the profile describes RGB
		p.profile = info.Profile
	}
	if info.Format != HEIC {
		p.orient(info.Orientation)
	}
	return p
}
