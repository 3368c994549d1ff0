package wordstats

const (
	firstBlock = 4 << 10 // bytes
	lastBlock  = 1 << 20
)

// arena stores bytes in blocks that never move. Each block is larger than the previous one, up to lastBlock.
type arena struct {
	blocks [][]byte
}

// keep stores a copy of data, at most lastBlock bytes, and returns its position.
func (a *arena) keep(data []byte) (block uint16, offset uint32) {
	last := len(a.blocks) - 1
	if last < 0 || cap(a.blocks[last])-len(a.blocks[last]) < len(data) {
		size := firstBlock
		if last >= 0 {
			size = min(2*cap(a.blocks[last]), lastBlock)
		}
		a.blocks = append(a.blocks, make([]byte, 0, max(size, len(data))))
		last++
	}
	offset = uint32(len(a.blocks[last]))
	a.blocks[last] = append(a.blocks[last], data...)
	return uint16(last), offset
}

// reset empties the arena but retains its first block.
func (a *arena) reset() {
	if len(a.blocks) > 0 {
		a.blocks = a.blocks[:1]
		a.blocks[0] = a.blocks[0][:0]
	}
}
