package live

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/web"
)

// entry is an outcome in the form that every reader gets.
type entry struct {
	sequence    uint64
	owner, area string
	frame       []byte        // empty for an outcome that no stream can carry
	sentiment   func() string // of a feed item
}

// entryCost is about what an entry takes besides its frame, in bytes.
const entryCost = 200

// Tokens of assay.analysis.<end>.<area>.<id>.
const (
	endToken  = 2 // "completed" or "failed"
	areaToken = 3
	tokens    = 5
)

func newEntry(d bus.Delivery) entry {
	e := entry{sequence: d.Sequence, owner: d.Owner, sentiment: func() string { return "" }}
	subject := strings.SplitN(d.Subject, ".", tokens)
	if len(subject) < tokens {
		return e
	}
	e.area = subject[areaToken]
	// A frame fails for a name with a line break only, which no reader waits for.
	e.frame, _ = web.Event{ID: strconv.FormatUint(d.Sequence, 10), Name: subject[endToken], Data: d.Data}.Frame()
	if e.area == event.AreaFeed {
		e.sentiment = sync.OnceValue(func() string {
			var completed event.AnalysisCompleted
			if event.Unmarshal(d.Data, &completed) != nil {
				return ""
			}
			return completed.GetTextSentiment().GetSentiment()
		})
	}
	return e
}

// filter chooses the outcomes of one reader. The zero value chooses all.
type filter struct{ owner, area, sentiment string }

func (f filter) wants(e *entry) bool {
	return len(e.frame) > 0 && (f.owner == "" || f.owner == e.owner) && (f.area == "" || f.area == e.area) &&
		(f.sentiment == "" || f.sentiment == e.sentiment())
}

// key names the group of readers that an outcome wakes together.
func (f filter) key() groupKey { return groupKey{f.owner, f.area} }

type groupKey struct{ owner, area string }

// group is the readers of one owner, of one area, or of everything.
type group struct {
	since uint64 // the group knows every outcome after this sequence
	last  uint64 // the newest outcome of the group; at least since
	dirty bool   // notify has to wake its readers

	mu      sync.Mutex
	readers map[*reader]struct{}
}

func (g *group) wake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for r := range g.readers {
		select {
		case r.wake <- struct{}{}:
		default: // it is awake already
		}
	}
}

// reader is one open stream. It belongs to one goroutine, but for wake.
type reader struct {
	filter filter
	group  *group
	cursor uint64 // every wanted outcome up to this sequence is sent
	resets int    // of the ring, when cursor was last known to be in the stream
	wake   chan struct{}
}

// ring holds the newest outcomes in a bounded buffer. Adding to it never waits
// for a reader.
type ring struct {
	mu          sync.RWMutex
	entries     []entry // that of a sequence is at sequence modulo length
	first, next uint64  // the ring holds the sequences first to next-1
	bytes, most int
	resets      int
	groups      map[groupKey]*group
	dirty       []*group

	woken chan struct{} // tells notify that there are dirty groups
}

func newRing(entries, bytes int) *ring {
	return &ring{
		entries: make([]entry, entries), first: 1, next: 1, most: bytes,
		groups: map[groupKey]*group{}, woken: make(chan struct{}, 1),
	}
}

// bounds returns the oldest sequence in the ring and the newest one it has seen.
func (b *ring) bounds() (oldest, newest uint64, resets int) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.first, b.next - 1, b.resets
}

// reset empties the ring. The next outcome is the one after this sequence.
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

// add appends the outcome that follows the newest one.
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
	for _, f := range []filter{{}, {area: e.area}, {owner: e.owner}} {
		if g := b.groups[f.key()]; g != nil {
			g.last = e.sequence
			b.mark(g)
		}
	}
	b.mu.Unlock()
	b.signal()
}

func (b *ring) at(sequence uint64) *entry { return &b.entries[sequence%uint64(len(b.entries))] }

func (b *ring) mark(g *group) {
	if !g.dirty {
		g.dirty = true
		b.dirty = append(b.dirty, g)
	}
}

func (b *ring) signal() {
	select {
	case b.woken <- struct{}{}:
	default:
	}
}

// notify wakes the readers of new outcomes until ctx ends. To wake 10,000 takes
// some milliseconds, in which several outcomes may be added.
func (b *ring) notify(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.woken:
		}
		b.mu.Lock()
		dirty := b.dirty
		b.dirty = nil
		for _, g := range dirty {
			g.dirty = false
		}
		b.mu.Unlock()
		for _, g := range dirty {
			g.wake()
		}
	}
}

// join lets new outcomes wake r. The caller calls leave.
func (b *ring) join(r *reader) {
	b.mu.Lock()
	defer b.mu.Unlock()
	g := b.groups[r.filter.key()]
	if g == nil {
		g = &group{since: b.next - 1, last: b.next - 1, readers: map[*reader]struct{}{}}
		b.groups[r.filter.key()] = g
	}
	r.group = g
	g.mu.Lock()
	defer g.mu.Unlock()
	g.readers[r] = struct{}{}
}

func (b *ring) leave(r *reader) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r.group.mu.Lock()
	defer r.group.mu.Unlock()
	delete(r.group.readers, r)
	if len(r.group.readers) == 0 {
		delete(b.groups, r.filter.key())
	}
}

// progress is how far a read got.
type progress int

const (
	current progress = iota // to the newest outcome
	more                    // to the end of one batch
	behind                  // nowhere: the ring no longer holds what follows
	gone                    // nowhere: the stream does not hold what follows
)

// read moves r on and returns what it is to be sent.
func (b *ring) read(r *reader) (batch, progress) {
	var out batch
	b.mu.RLock()
	defer b.mu.RUnlock()
	newest := b.next - 1
	if r.cursor > newest {
		// Another process was faster, unless the stream began anew.
		if r.resets != b.resets {
			return out, gone
		}
		return out, current
	}
	r.resets = b.resets
	if r.cursor >= r.group.since && r.cursor >= r.group.last {
		r.cursor = newest
		return out, current
	}
	if r.cursor+1 < b.first {
		return out, behind
	}
	for r.cursor < newest {
		e := b.at(r.cursor + 1)
		if r.filter.wants(e) && !out.add(e.frame) {
			return out, more
		}
		r.cursor++
	}
	return out, current
}

// Bounds of one batch. A reader that does not take its batch keeps that much
// memory.
const (
	batchFrames = 128
	batchBytes  = 64 << 10
)

// batch is frames that are sent in one write.
type batch struct {
	frames [][]byte
	bytes  int
}

// add reports whether there was room.
func (b *batch) add(frame []byte) bool {
	if len(b.frames) > 0 && (len(b.frames) == batchFrames || b.bytes+len(frame) > batchBytes) {
		return false
	}
	b.frames = append(b.frames, frame)
	b.bytes += len(frame)
	return true
}
