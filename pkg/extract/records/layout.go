package records

import "sort"

// A layout states which records the chunks of a file contain.
type layout struct {
	total  int   // records in chunks
	starts []int // index of the first record of each chunk; nil if each chunk but the last has ChunkSize records
}

// chunks returns the number of chunks.
func (l layout) chunks() int {
	if l.starts != nil {
		return len(l.starts)
	}
	return (l.total + ChunkSize - 1) / ChunkSize
}

// start returns the index of the first record of a chunk, or the number of records for the chunk after the last one.
func (l layout) start(chunk int) int {
	switch {
	case chunk >= l.chunks():
		return l.total
	case l.starts != nil:
		return l.starts[chunk]
	default:
		return chunk * ChunkSize
	}
}

// chunkOf returns the chunk that contains a record.
func (l layout) chunkOf(index int) int {
	if l.starts == nil {
		return index / ChunkSize
	}
	return sort.SearchInts(l.starts, index+1) - 1
}

// valid reports whether the chunks are in order, and none of them is empty or has more than MaxChunk records.
func (l layout) valid() bool {
	for chunk := range l.starts {
		if size := l.start(chunk+1) - l.start(chunk); size < 1 || size > MaxChunk || l.starts[0] != 0 {
			return false
		}
	}
	return l.total >= 0 && (l.starts == nil || l.total > 0)
}
