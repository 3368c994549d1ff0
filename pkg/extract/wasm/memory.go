package wasm

// memory is the memory of an instance. It grows from its first allocation up to a limit.
type memory struct {
	bytes       []byte
	first, most uint64
	refused     bool // whether growth beyond most was rejected
}

// Reallocate grows the memory to size and returns it. If size is above the limit, it returns nil,
// so that memory.grow fails in the program.
func (m *memory) Reallocate(size uint64) []byte {
	if size > m.most {
		m.refused = true
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

// Free releases the memory.
func (m *memory) Free() { m.bytes = nil }
