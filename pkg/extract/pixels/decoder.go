package pixels

import (
	"bytes"
	"context"
	"errors"
	"image"
	"time"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

// Decoder decodes pictures within a memory limit. It is safe for concurrent use.
type Decoder struct {
	memory *budget.Budget
	codecs codecs
}

// NewDecoder returns a Decoder that reserves the memory for its pictures. The codecs of HEIC and WebP are compiled at the first call of Prepare, or when a picture
// first needs one. The caller must close the Decoder.
func NewDecoder(memory *budget.Budget, c wasm.Config) *Decoder {
	return &Decoder{memory: memory, codecs: newCodecs(c)}
}

// Prepare waits until the codecs are compiled, or ctx is done.
func (d *Decoder) Prepare(ctx context.Context) error {
	return d.codecs.prepare(ctx)
}

// Close releases the codecs. It must not be called while Decode is running. After Close, decoded
// pictures cannot be encoded as WebP.
func (d *Decoder) Close(ctx context.Context) error {
	return d.codecs.close(ctx)
}

// Decode inspects a picture, waits until the memory for processing it (Info.Memory) is available,
// decodes it and applies its orientation. Of an animation, it decodes the first frame and adds a remark. The caller must
// call release when it no longer needs the picture and its encodings.
//
// It returns the errors of Inspect, ErrTooLarge if the picture needs more than the total memory, or the
// error of ctx. Canceling ctx stops the decoder.
func (d *Decoder) Decode(ctx context.Context, data []byte, l Limits) (p *Picture, release func(), err error) {
	l.AllFrames = false
	a, release, err := d.DecodeAll(ctx, data, l)
	if err != nil {
		return nil, nil, err
	}
	return a.Frames[0], release, nil
}

// DecodeAll is like Decode, but with Limits.AllFrames, it returns all frames of an animated GIF or WebP.
func (d *Decoder) DecodeAll(ctx context.Context, data []byte, l Limits) (a *Animation, release func(), err error) {
	info, err := inspect(data, l, false)
	if err != nil {
		return nil, nil, err
	}
	a, release, err = d.decode(ctx, data, info)
	if info.Format == JXL && errors.Is(err, wasm.ErrMemory) {
		info.decoding += jxlLayers(info)
		a, release, err = d.decode(ctx, data, info)
	}
	if !errors.Is(err, errDamaged) {
		return a, release, err
	}
	if info, err = inspect(data, l, true); err != nil {
		return nil, nil, err
	}
	return d.decode(ctx, data, info)
}

func (d *Decoder) decode(ctx context.Context, data []byte, info Info) (a *Animation, release func(), err error) {
	switch info.Format { // compile before memory is reserved
	case HEIC:
		err = d.codecs.heif.Prepare(ctx)
	case WebP:
		err = d.codecs.webp.Prepare(ctx)
	case AVIF:
		err = d.codecs.avif.Prepare(ctx)
	case JXL:
		err = d.codecs.jxl.Prepare(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	free, err := d.memory.Reserve(ctx, info.Memory())
	if errors.Is(err, budget.ErrTooLarge) {
		return nil, nil, ErrTooLarge.With(reason.MemoryLimit, info.Memory()>>20, d.memory.Total()>>20)
	}
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if a == nil { // even if a decoder panics
			free()
		}
	}()
	made, err := d.frames(ctx, data, info)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, nil, unreadable(err)
	}
	return made, free, nil
}

// frames decodes the first frame, or all frames if they are requested.
func (d *Decoder) frames(ctx context.Context, data []byte, info Info) (*Animation, error) {
	if info.decoded() > 1 {
		return info.animation(ctx, d)
	}
	m, err := info.format.decode(ctx, d, data, info)
	if err != nil {
		return nil, err
	}
	p := upright(m, info)
	p.codecs = &d.codecs
	if info.sequence != nil {
		p.Remarks = append(p.Remarks, info.sequence.remarks...)
	}
	if info.Frames != 1 {
		p.Remarks = append(p.Remarks, info.remark())
	}
	return &Animation{Frames: []*Picture{p}, Delays: make([]time.Duration, 1), Plays: 1}, nil
}

// input is an encoded picture that cannot be read after ctx is done, which stops its decoder.
type input struct {
	ctx  context.Context
	data *bytes.Reader
}

func newInput(ctx context.Context, data []byte) input { return input{ctx, bytes.NewReader(data)} }

func (i input) Read(b []byte) (int, error) {
	if i.ctx.Err() != nil {
		return 0, context.Cause(i.ctx)
	}
	return i.data.Read(b)
}

// ReadAt is used by the decoder of TIFF.
func (i input) ReadAt(b []byte, at int64) (int, error) {
	if i.ctx.Err() != nil {
		return 0, context.Cause(i.ctx)
	}
	return i.data.ReadAt(b, at)
}

// upright applies the orientation, except for HEIC, where the decoder has applied it.
func upright(m image.Image, info Info) *Picture {
	p := colored(m, info)
	if info.Format != HEIC {
		p.orient(info.Orientation)
	}
	return p
}
