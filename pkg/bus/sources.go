package bus

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/assay-project/assay/pkg/bus/fair"
)

// source is one durable consumer of the server.
type source struct {
	durable string
	filter  string
	subject string       // where a message is asked for
	emptyAt atomic.Int64 // when it was found empty, as time since sources.began; 0 for never
}

// sources are the durables behind one Consumer: one for each priority of a
// work stream, else one.
type sources struct {
	all   []*source
	turn  atomic.Uint32
	began time.Time
}

func newSources(b *Bus, c Consumer) *sources {
	s := &sources{began: time.Now()}
	add := func(durable, filter string) {
		s.all = append(s.all, &source{
			durable: durable, filter: filter, subject: fmt.Sprintf("$JS.API.CONSUMER.MSG.NEXT.%s.%s", c.Stream, durable),
		})
	}
	q := b.workQueue(c.Stream)
	if q == nil {
		add(c.Name, c.Filter)
		return s
	}
	for priority, durable := range q.Durables(c.Name) {
		add(durable, storedSubject(strconv.Itoa(priority), "*", cmp.Or(c.Filter, ">")))
	}
	return s
}

// asking is one worker's way around the sources.
type asking struct {
	*sources
	most  time.Duration // without a message, after which silent is true
	last  time.Time     // when a message came
	wait  time.Duration // of the next wait
	tried []bool        // in this round
}

func (s *sources) begin(most time.Duration) *asking {
	return &asking{sources: s, most: most, last: time.Now(), wait: min(priorityWait, most), tried: make([]bool, len(s.all))}
}

// next returns where to ask, and for how long to wait there: first the priority whose
// turn it is, then the others, without waiting, and when all are empty the first. What
// comes to the first is waited for there at once while the others are known to be
// empty: mostly a message costs one request.
func (a *asking) next() (*source, time.Duration) {
	if len(a.all) == 1 {
		return a.all[0], a.most
	}
	if !slices.Contains(a.tried, true) {
		if at := fair.Turn(a.turn.Add(1)); at > 0 && a.open(at) {
			return a.look(at)
		}
	}
	for at := 1; at < len(a.all); at++ {
		switch {
		case !a.open(at):
		case !a.tried[0]:
			return a.look(0)
		default:
			return a.look(at)
		}
	}
	clear(a.tried)
	wait := a.wait
	a.wait = min(2*a.wait, priorityMaxWait, a.most)
	return a.all[0], wait
}

// open says whether a priority may have something: it was not tried in this round, and
// nobody found it empty within emptyFor.
func (a *asking) open(at int) bool {
	empty := time.Duration(a.all[at].emptyAt.Load())
	return !a.tried[at] && (empty == 0 || time.Since(a.began)-empty > emptyFor)
}

func (a *asking) look(at int) (*source, time.Duration) {
	a.tried[at] = true
	return a.all[at], 0
}

// found begins a new round.
func (a *asking) found() {
	clear(a.tried)
	a.last, a.wait = time.Now(), min(priorityWait, a.most)
}

// empty remembers that a source had nothing. It measures by the monotonic clock: the
// wall clock may be stepped back.
func (a *asking) empty(at *source) { at.emptyAt.Store(int64(time.Since(a.began))) }

// silent says that nothing came for so long that someone should look why.
func (a *asking) silent() bool { return time.Since(a.last) >= a.most }

// names are those of all durables.
func (s *sources) names() []string {
	names := make([]string, len(s.all))
	for i, source := range s.all {
		names[i] = source.durable
	}
	return names
}
