package wasm

import (
	"context"

	"github.com/tetratelabs/wazero/api"
)

// ResizeHeap implements emscripten_resize_heap. It grows the memory to the requested size, or by a fifth if that is more
// and possible.
func ResizeHeap(_ context.Context, m api.Memory, stack []uint64) {
	const page = 65536
	wanted, size := uint64(api.DecodeU32(stack[0])), uint64(m.Size())
	stack[0] = 0
	for _, to := range []uint64{max(wanted, size+size/5), wanted} {
		if to <= size || to > 1<<31 {
			continue
		}
		if _, ok := m.Grow(uint32((to - size + page - 1) / page)); ok {
			stack[0] = 1
			return
		}
	}
}
