package live

// Limits of one batch. A reader that does not consume its batch uses up to this much memory.
const (
	batchFrames = 128
	batchBytes  = 64 << 10
)

// batch is a sequence of events of one source sent in one write.
type batch struct {
	entries []entry
	bytes   int
}

// add adds an event, and returns false if it does not fit into the batch.
func (b *batch) add(e *entry) bool {
	if len(b.entries) > 0 && (len(b.entries) == batchFrames || b.bytes+len(e.frame) > batchBytes) {
		return false
	}
	b.entries = append(b.entries, *e)
	b.bytes += len(e.frame)
	return true
}
