package fingerprint

import (
	"context"
	"fmt"
)

// Sequence reads the fingerprints of the records of a file, chunk by chunk. It keeps one chunk, and is not safe for concurrent
// use.
type Sequence struct {
	// Get returns the chunk with a number, from 0. The first record of a chunk follows the last one of the chunk before.
	Get func(ctx context.Context, number int) (Chunk, error)

	next  int // number of the chunk after all
	start int // index of the first record of all
	all   []*Fingerprint
}

// At returns the fingerprint of the record with an index, or nil if it has none. It is fast if the indexes of the calls ascend.
// The errors are those of Get. Get must return an error for a chunk beyond the last one.
func (s *Sequence) At(ctx context.Context, index int) (*Fingerprint, error) {
	if index < 0 {
		return nil, fmt.Errorf("a fingerprint of record %d", index)
	}
	if index < s.start {
		s.next, s.start, s.all = 0, 0, nil
	}
	for index >= s.start+len(s.all) {
		c, err := s.Get(ctx, s.next)
		if err != nil {
			return nil, err
		}
		s.start += len(s.all)
		s.next, s.all = s.next+1, c.All
	}
	return s.all[index-s.start], nil
}
