package live

import "sync"

// ring contains the newest events of a source in a bounded buffer. Adding to it never waits for a
// reader.
type ring struct {
	mu          sync.RWMutex
	entries     []entry // an entry is at the index of its sequence modulo the length
	first, next uint64  // the ring contains the sequences from first to next-1
	bytes, most int     // approximate memory of the entries, and its maximum
	resets      int     // number of calls of reset
	groups      map[groupKey]*group
	dirty       []*group

	woken chan struct{} // wakes notify when there are dirty groups
}

func newRing(entries, bytes int) *ring {
	return &ring{
		entries: make([]entry, entries), first: 1, next: 1, most: bytes,
		groups: map[groupKey]*group{}, woken: make(chan struct{}, 1),
	}
}

// bounds returns the oldest sequence in the ring, the newest one added, and the number of resets.
func (b *ring) bounds() (oldest, newest uint64, resets int) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.first, b.next - 1, b.resets
}

// reset empties the ring. The next event to add is the one after this sequence.
func (b *ring) reset(after uint64) {
	b.mu.Lock()
	clear(b.entries)
	b.first, b.next, b.bytes = after+1, after+1, 0
	b.resets++
	for _, g := range b.groups {
		g.since, g.last = after, after
		b.mark(g)
	}
	b.mu.Unlock()
	b.signal()
}

// add appends the event that follows the newest one.
func (b *ring) add(e entry) {
	b.mu.Lock()
	cost := len(e.frame) + entryCost
	for b.first < b.next && (b.next-b.first == uint64(len(b.entries)) || b.bytes+cost > b.most) {
		oldest := b.at(b.first)
		b.bytes -= len(oldest.frame) + entryCost
		*oldest = entry{}
		b.first++
	}
	*b.at(e.sequence) = e
	b.next = e.sequence + 1
	b.bytes += cost
	for _, key := range e.keys() {
		if g := b.groups[key]; g != nil {
			g.last = e.sequence
			b.mark(g)
		}
	}
	b.mu.Unlock()
	b.signal()
}

func (b *ring) at(sequence uint64) *entry { return &b.entries[sequence%uint64(len(b.entries))] }

// progress is the result of a read.
type progress int

const (
	current progress = iota // reached the newest event
	more                    // reached the end of one batch
	behind                  // no progress: the ring no longer has the next event
	gone                    // no progress: the stream no longer has the next event
)

// read advances c and returns the events to send.
func (b *ring) read(c *cursor, f Filter) (batch, progress) {
	var out batch
	b.mu.RLock()
	defer b.mu.RUnlock()
	newest := b.next - 1
	if c.after > newest {
		// The position is from a process whose ring is ahead, unless the stream was recreated.
		if c.resets != b.resets {
			return out, gone
		}
		return out, current
	}
	c.resets = b.resets
	if c.after >= c.group.since && c.after >= c.group.last {
		c.after = newest
		return out, current
	}
	if c.after+1 < b.first {
		return out, behind
	}
	for c.after < newest {
		e := b.at(c.after + 1)
		if f.wants(e) && !out.add(e) {
			return out, more
		}
		c.after++
	}
	return out, current
}
