package pixels

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/assay-project/assay/pkg/extract/packed"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

// newCodec returns an engine that runs a codec written in C, whose code is compressed. The codec cannot
// access files, the clock or the network.
func newCodec(name string, code []byte, c wasm.Config) *wasm.Engine {
	return wasm.New(wasm.Program{Name: name, Code: func() ([]byte, error) { return packed.Brotli(code, nil) }, Import: importWASI}, c)
}

func importWASI(ctx context.Context, r wazero.Runtime, _ wazero.CompiledModule) error {
	_, err := wasi_snapshot_preview1.Instantiate(ctx, r)
	return err
}

// decodeTime is the maximum time for decoding a picture with a codec. A photo of 100 megapixels takes 20 s.
const decodeTime = 45 * time.Second

// codecs holds the engines of the formats that Go code does not read or write.
type codecs struct {
	heif heif
	webp webpCodec
	// avif decodes, avifEncoder encodes.
	avif, avifEncoder *wasm.Engine
	jxl               *wasm.Engine
}

func newCodecs(c wasm.Config) codecs {
	return codecs{
		heif: newHEIF(c), webp: newWebP(c),
		avif: newCodec("libavif", avifDecodeWasm, c), avifEncoder: newCodec("libavif encoder", avifEncodeWasm, c),
		jxl: newCodec("libjxl", jxlWasm, c),
	}
}

func (c *codecs) prepare(ctx context.Context) error {
	return errors.Join(c.heif.Prepare(ctx), c.webp.Prepare(ctx), c.avif.Prepare(ctx), c.avifEncoder.Prepare(ctx), c.jxl.Prepare(ctx))
}

func (c *codecs) close(ctx context.Context) error {
	return errors.Join(c.heif.Close(ctx), c.webp.Close(ctx), c.avif.Close(ctx), c.avifEncoder.Close(ctx), c.jxl.Close(ctx))
}

var errRejected = errors.New("the codec rejected the picture")

// codec is an instance of a codec. The codec's functions return 0 on failure.
type codec struct{ *wasm.Instance }

// run calls a function. The instance cannot be used after a failure.
func (c codec) run(name string, args ...uint64) uint64 {
	result := c.Call(name, args...)
	switch {
	case result != 0:
	case c.OutOfMemory():
		c.Fail(wasm.ErrMemory)
	default:
		c.Fail(errRejected)
	}
	return result
}

// number reads a C int.
func (c codec) number(at uint64) int {
	b := c.Bytes(at, 4)
	if b == nil {
		return 0
	}
	return int(binary.LittleEndian.Uint32(b))
}
