package bus

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// flows estimates how much work of each flow waits. A process counts what it
// publishes itself; what is before the first that the stream keeps is done. When the
// lane would change by that count, it looks where the stream begins, once for all
// flows, and if that is not enough asks the server, so that those who publish little,
// or now and then, or whose work is soon done, cost no request of their own.
type flows struct {
	// kept looks for the first sequence that the stream keeps.
	kept func(context.Context) (first uint64)
	// count returns how much waits and the newest sequence of the stream.
	count func(ctx context.Context, token string) (waiting int64, newest uint64, err error)
	most  int64 // 0 bounds nothing

	mu    sync.Mutex
	known map[string]*flowCount
}

type flowCount struct {
	waiting int64
	begun   int64             // of those, publishes whose sequence is not known
	own     [laneFirst]uint64 // sequences of the last publishes
	next    int               // the oldest of own
	newest  uint64            // sequence of the stream when the server was asked
	asked   time.Time
	asking  chan struct{} // closed when the server has answered; nil while nobody asks
	told    time.Time     // when it answered last
	used    time.Time
}

const (
	// askPause and askPausePer bound the looks: the server names every subject of
	// the flow in its answer, 80 bytes each.
	askPause    = 20 * time.Millisecond
	askPausePer = 100 * time.Microsecond
	// countAge is how old a count is that no more decides about a lane while another
	// look is under way: what it counted may long be done.
	countAge = 250 * time.Millisecond
	// mostFlows is how many flows are kept in mind, each of some 300 bytes.
	mostFlows    = 10_000
	flowIsQuiet  = time.Minute
	askLongest   = 3 * time.Second
	pauseLongest = 5 * time.Second
)

// join counts one more message of a flow and returns its lane. What the stream had
// below the sequence first is gone. The caller calls settle, unless join returns
// ErrFlowFull.
func (f *flows) join(ctx context.Context, token string, first uint64) (int, error) {
	now := time.Now()
	f.mu.Lock()
	c := f.of(token, now)
	if f.many(c) {
		c.forget(first)
	}
	many := f.many(c)
	asking, old := c.asking, now.Sub(c.told) > countAge
	ask := many && asking == nil && now.Sub(c.asked) >= min(askPause+time.Duration(c.waiting)*askPausePer, pauseLongest)
	if ask {
		c.asked, c.asking = now, make(chan struct{})
	}
	f.mu.Unlock()
	switch {
	case ask:
		f.ask(ctx, token, c)
	case many && old && asking != nil:
		select {
		case <-asking:
		case <-ctx.Done():
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.most > 0 && c.waiting >= f.most {
		return 0, ErrFlowFull
	}
	lane := 0
	for lane < lanes-1 && c.waiting >= laneEnds[lane] {
		lane++
	}
	c.waiting++
	c.begun++
	return lane, nil
}

// many says whether the count alone is not enough to go by.
func (f *flows) many(c *flowCount) bool {
	return c.waiting >= laneEnds[0] || f.most > 0 && c.waiting >= f.most
}

// settle notes the sequence of a message that was counted; 0 where it has none.
func (f *flows) settle(token string, sequence uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.known[token]
	if c == nil {
		return // forgotten
	}
	c.begun = max(0, c.begun-1)
	if sequence > 0 {
		c.own[c.next] = sequence
		c.next = (c.next + 1) % len(c.own)
	}
}

// forget lowers a count to what was published from the sequence first on, unless
// some of that may be of others.
func (c *flowCount) forget(first uint64) {
	if first <= c.newest {
		return
	}
	left := c.begun
	for _, sequence := range c.own {
		if sequence >= first {
			left++
		}
	}
	if left < int64(len(c.own)) { // else there may be more than it knows of
		c.waiting = min(c.waiting, left)
	}
}

// ask brings a count to what the server says. Where it cannot be told, the own count
// holds.
func (f *flows) ask(ctx context.Context, token string, c *flowCount) {
	ctx, cancel := context.WithTimeout(ctx, askLongest)
	defer cancel()
	first := f.kept(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.forget(first); f.many(c) {
		before := c.waiting
		f.mu.Unlock()
		there, newest, err := f.count(ctx, token)
		f.mu.Lock()
		if err == nil {
			c.waiting, c.newest, c.told = there+max(0, c.waiting-before), newest, time.Now()
		}
	}
	close(c.asking)
	c.asking = nil
}

// waits says whether as many messages of a flow wait. When its count is old it says
// no, so that join asks.
func (f *flows) waits(token string, least int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.known[token]
	return c != nil && c.waiting >= least && time.Since(c.asked) < pauseLongest
}

// of returns the count of a flow. It forgets the quiet ones when there are too many.
func (f *flows) of(token string, now time.Time) *flowCount {
	c := f.known[token]
	if c == nil {
		if len(f.known) >= mostFlows {
			for other, o := range f.known {
				if now.Sub(o.used) > flowIsQuiet {
					delete(f.known, other)
				}
			}
			if len(f.known) >= mostFlows {
				clear(f.known)
			}
		}
		c = &flowCount{}
		f.known[token] = c
	}
	c.used = now
	return c
}

// waiting asks the server how much work of a flow it keeps, and for its newest sequence.
func (b *Bus) waiting(ctx context.Context, token string) (int64, uint64, error) {
	work := b.work.Load()
	if work == nil { // to look it up is a request, too
		found, err := b.js.Stream(ctx, StreamWork)
		if err != nil {
			return 0, 0, err
		}
		work = &found
		b.work.Store(work)
	}
	info, err := (*work).Info(ctx, jetstream.WithSubjectFilter(workPrefix+"*."+token+".>"))
	if err != nil {
		return 0, 0, err
	}
	return int64(len(info.State.Subjects)), info.State.LastSeq, nil // one message each
}
