package pixels

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// sandbox runs C code compiled to WebAssembly, in its own bounded memory. The code is compiled at
// first use. It is safe for concurrent use.
type sandbox struct {
	once    sync.Once
	runtime wazero.Runtime
	code    wazero.CompiledModule
	err     error
}

func (s *sandbox) compile(ctx context.Context, compressed []byte) {
	// Without WithCloseOnContextDone, whose checks make it five times slower: the work is
	// bounded by the size of the picture and of the memory.
	s.runtime = wazero.NewRuntime(ctx)
	if _, s.err = wasi_snapshot_preview1.Instantiate(ctx, s.runtime); s.err != nil {
		return
	}
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		s.err = err
		return
	}
	code, err := io.ReadAll(r)
	if err != nil {
		s.err = err
		return
	}
	s.code, s.err = s.runtime.CompileModule(ctx, code)
}

func (s *sandbox) close(ctx context.Context) error {
	s.once.Do(func() { s.err = errors.New("the decoder is closed") })
	if s.runtime == nil {
		return nil
	}
	return s.runtime.Close(ctx)
}

// start instantiates the code, which is compressed. Its memory begins with first bytes and grows to at
// most most. Growing needs the old and the new memory at the same time. The caller calls end.
func (s *sandbox) start(ctx context.Context, compressed []byte, first, most int64) (c *call, end func(), err error) {
	s.once.Do(func() { s.compile(context.WithoutCancel(ctx), compressed) })
	if s.err != nil {
		return nil, nil, s.err
	}
	bounded := experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(
		func(reserve, limit uint64) experimental.LinearMemory {
			return &memory{first: uint64(first), most: min(limit, uint64(most))}
		}))
	module, err := s.runtime.InstantiateModule(bounded, s.code, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil, nil, err
	}
	return &call{ctx: ctx, module: module}, func() { _ = module.Close(context.WithoutCancel(ctx)) }, nil // its memory is garbage-collected
}

// memory is the memory of a sandbox. It grows up to a limit from its first allocation.
type memory struct {
	bytes       []byte
	first, most uint64
}

// Reallocate returns the grown memory, or nil above the limit, which makes the growth fail in the
// sandbox.
func (m *memory) Reallocate(size uint64) []byte {
	if size > m.most {
		return nil
	}
	if size > uint64(cap(m.bytes)) {
		grown := make([]byte, size, min(m.most, max(m.first, size+size/4)))
		copy(grown, m.bytes)
		m.bytes = grown
	}
	m.bytes = m.bytes[:size]
	return m.bytes
}

// Free drops the memory.
func (m *memory) Free() { m.bytes = nil }

// call calls functions of a sandbox. After an error, further calls do nothing.
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
		c.err = errors.New("the HEIC decoder rejected the picture")
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
