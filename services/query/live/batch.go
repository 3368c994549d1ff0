package live

// Limits of one batch. A reader that does not consume its batch holds that much
// memory.
const (
	batchFrames = 128
	batchBytes  = 64 << 10
)

// batch is a sequence of frames sent in one write.
type batch struct {
	frames [][]byte
	bytes  int
}

// add reports whether the frame fit into the batch.
func (b *batch) add(frame []byte) bool {
	if len(b.frames) > 0 && (len(b.frames) == batchFrames || b.bytes+len(frame) > batchBytes) {
		return false
	}
	b.frames = append(b.frames, frame)
	b.bytes += len(frame)
	return true
}
