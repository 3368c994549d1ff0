//go:build !noheic

package pixels

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"sync"
	_ "unsafe" // for go:linkname

	_ "github.com/gen2brain/heic" // holds the decoder's code
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// heifWasm is libheif with libde265, compiled to WebAssembly and compressed. The
// package heic runs it without a bound of memory or time, and keeps it to itself.
//
//go:linkname heifWasm github.com/gen2brain/heic.heifWasm
var heifWasm []byte

// heicIncluded: the build tag noheic leaves it out.
const heicIncluded = true

// heicMemory is what the sandbox may use for so many pixels, and all it gets:
// libheif keeps the tiles, the whole picture and the copy that it returns.
func heicMemory(pixels int64) int64 { return 48<<20 + pixels*8 }

// heif decodes HEIC in a sandbox: about 0.2 s of processor time a megapixel. The code is compiled at first use, which takes about
// a second of processor time.
type heif struct {
	once    sync.Once
	runtime wazero.Runtime
	code    wazero.CompiledModule
	err     error
}

func (h *heif) compile(ctx context.Context) {
	// Without WithCloseOnContextDone, whose checks make it five times slower: the work is
	// bounded by the size of the file and of the memory.
	h.runtime = wazero.NewRuntime(ctx)
	if _, h.err = wasi_snapshot_preview1.Instantiate(ctx, h.runtime); h.err != nil {
		return
	}
	r, err := gzip.NewReader(bytes.NewReader(heifWasm))
	if err != nil {
		h.err = err
		return
	}
	code, err := io.ReadAll(r)
	if err != nil {
		h.err = err
		return
	}
	h.code, h.err = h.runtime.CompileModule(ctx, code)
}

func (h *heif) close(ctx context.Context) error {
	h.once.Do(func() { h.err = errors.New("the decoder is closed") })
	if h.runtime == nil {
		return nil
	}
	return h.runtime.Close(ctx)
}

// decode returns Y'CbCr, grey or RGB with the container's rotation applied. Whatever
// the file does to the decoder ends with its sandbox, as an error.
func (h *heif) decode(ctx context.Context, data []byte, info Info) (image.Image, error) {
	h.once.Do(func() { h.compile(context.WithoutCancel(ctx)) })
	if h.err != nil {
		return nil, fmt.Errorf("HEIC decoder: %w", h.err)
	}
	bounded := experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(
		func(reserve, most uint64) experimental.LinearMemory {
			return &memory{most: min(most, uint64(heicMemory(int64(info.Width)*int64(info.Height))))}
		}))
	module, err := h.runtime.InstantiateModule(bounded, h.code, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil, err
	}
	defer func() { _ = module.Close(context.WithoutCancel(ctx)) }() // its memory is Go's, and collected
	c := call{ctx: ctx, module: module}
	m := c.decode(data, info)
	return m, c.err
}

// memory is that of a sandbox. It grows up to a bound.
type memory struct {
	bytes []byte
	most  uint64
}

// Reallocate returns the grown memory, or nil above the bound, which fails the
// growth inside.
func (m *memory) Reallocate(size uint64) []byte {
	if size > m.most {
		return nil
	}
	if size > uint64(cap(m.bytes)) {
		grown := make([]byte, size, min(m.most, size+size/4))
		copy(grown, m.bytes)
		m.bytes = grown
	}
	m.bytes = m.bytes[:size]
	return m.bytes
}

// Free drops the memory.
func (m *memory) Free() { m.bytes = nil }

// call is a conversation with the function decode of the package's heif.c. The first
// error ends it.
type call struct {
	ctx    context.Context
	module api.Module
	err    error
}

func (c *call) run(name string, args ...uint64) uint64 {
	if c.err != nil {
		return 0
	}
	result, err := c.module.ExportedFunction(name).Call(c.ctx, args...)
	switch {
	case err != nil:
		c.err = err
	case len(result) == 0 || result[0] == 0:
		c.err = errors.New("the HEIC decoder rejected it")
	default:
		return result[0]
	}
	return 0
}

func (c *call) number(at uint64) int {
	v, ok := c.module.Memory().ReadUint32Le(uint32(at))
	if !ok && c.err == nil {
		c.err = errors.New("the HEIC decoder returned an address outside its memory")
	}
	return int(v)
}

// decode asks for the size and the kind of the picture, then for its pixels.
func (c *call) decode(data []byte, info Info) image.Image {
	in := c.run("malloc", uint64(len(data)))
	answers := c.run("malloc", 5*4)
	if c.err != nil {
		return nil
	}
	c.module.Memory().Write(uint32(in), data)
	width, height, space, chroma, premultiplied := answers, answers+4, answers+8, answers+12, answers+16
	const configOnly, whole = 1, 0
	c.run("decode", in, uint64(len(data)), configOnly, width, height, space, chroma, premultiplied, 0)
	if c.err != nil {
		return nil
	}
	size := image.Pt(c.number(width), c.number(height))
	if int64(size.X)*int64(size.Y) > int64(info.Width)*int64(info.Height) || size.X <= 0 || size.Y <= 0 {
		c.err = fmt.Errorf("its header gives %d × %d pixels, its content has %d × %d", info.Width, info.Height, size.X, size.Y)
		return nil
	}
	l, err := newLayout(size, c.number(space), c.number(chroma))
	if err != nil {
		c.err = err
		return nil
	}
	out := c.run("malloc", uint64(l.bytes))
	c.run("decode", in, uint64(len(data)), whole, width, height, space, chroma, premultiplied, out)
	if c.err != nil {
		return nil
	}
	view, ok := c.module.Memory().Read(uint32(out), uint32(l.bytes))
	if !ok {
		c.err = errors.New("the HEIC decoder returned an address outside its memory")
		return nil
	}
	return l.image(bytes.Clone(view), c.number(premultiplied) == 1)
}
