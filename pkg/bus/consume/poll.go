package consume

import (
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/fair"
)

const (
	// mostWait is the maximum time that a request for a message waits at the server.
	mostWait = 30 * time.Second
	// priorityWait is the time for which a worker that found all priorities empty waits for the
	// highest one before it polls all of them again. It doubles each time, up to priorityMaxWait.
	// Waiting for the highest is usually enough, because the others receive new work only while the
	// highest has some.
	priorityWait    = 100 * time.Millisecond
	priorityMaxWait = 2 * time.Second
	// emptyFor is the time for which a priority that was found empty is not
	// polled.
	emptyFor = 100 * time.Millisecond
)

// poll determines the order in which one worker polls the durables.
type poll struct {
	*durables
	most  time.Duration // time without a message after which silent returns true
	last  time.Time     // time of the last message
	wait  time.Duration // duration of the next wait
	tried []bool        // durables polled in this round
}

func newPoll(d *durables) *poll {
	most := min(d.consumer.Lease, mostWait)
	return &poll{durables: d, most: most, last: time.Now(), wait: min(priorityWait, most), tried: make([]bool, len(d.all))}
}

// request returns the durable to poll and how long to wait: first the priority whose turn it is,
// then the others without waiting, and the first again if all are empty. If the others are known to
// be empty, the first request already waits, so receiving a message usually takes one request.
func (p *poll) request() (*durable, time.Duration) {
	if len(p.all) == 1 {
		return p.all[0], p.most
	}
	if !slices.Contains(p.tried, true) {
		if at := fair.Turn(p.turn.Add(1)); at > 0 && p.open(at) {
			return p.look(at)
		}
	}
	for at := 1; at < len(p.all); at++ {
		switch {
		case !p.open(at):
		case !p.tried[0]:
			return p.look(0)
		default:
			return p.look(at)
		}
	}
	clear(p.tried)
	wait := p.wait
	p.wait = min(2*p.wait, priorityMaxWait, p.most)
	return p.all[0], wait
}

// open reports whether a priority may have messages: it was not tried in this round, and no worker
// found it empty within emptyFor.
func (p *poll) open(at int) bool {
	empty := time.Duration(p.all[at].emptyAt.Load())
	return !p.tried[at] && (empty == 0 || time.Since(p.began)-empty > emptyFor)
}

func (p *poll) look(at int) (*durable, time.Duration) {
	p.tried[at] = true
	return p.all[at], 0
}

// found begins a new round of requests with the highest priority.
func (p *poll) found() {
	clear(p.tried)
	p.last, p.wait = time.Now(), min(priorityWait, p.most)
}

// empty records that a durable had no messages. It uses the monotonic clock, because
// the wall clock may be stepped back.
func (p *poll) empty(at *durable) { at.emptyAt.Store(int64(time.Since(p.began))) }

// silent reports whether no message has arrived for so long that the consumer should be checked.
func (p *poll) silent() bool { return time.Since(p.last) >= p.most }
