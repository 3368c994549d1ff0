package office

const (
	// maxShared is the maximum size of the shared strings that are kept, with sharedCost bytes for each.
	maxShared  = 64 << 20
	sharedCost = 16
	// sharedBlock is the number of shared strings that are allocated together.
	sharedBlock = 4096
)

// sharedStrings are the texts that the cells of a workbook refer to by their index. They grow without copying, because there can be
// millions.
type sharedStrings struct {
	blocks      [][]string
	count, size int
}

// add adds a string, unless there are too many.
func (s *sharedStrings) add(text string) bool {
	if s.size += len(text) + sharedCost; s.size > maxShared {
		return false
	}
	if s.count%sharedBlock == 0 {
		s.blocks = append(s.blocks, make([]string, 0, sharedBlock))
	}
	last := &s.blocks[len(s.blocks)-1]
	*last = append(*last, text)
	s.count++
	return true
}

// at returns the string with an index below count.
func (s *sharedStrings) at(n int) string { return s.blocks[n/sharedBlock][n%sharedBlock] }
