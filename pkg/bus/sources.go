package bus

import (
	"fmt"
	"sync/atomic"
	"time"
)

// source is one durable consumer of the server.
type source struct {
	durable string
	filter  string
	subject string // where a message is asked for
	emptyAt atomic.Int64
}

// sources are the durables behind one Consumer: one for each lane of the stream of
// work, else one.
type sources struct {
	all  []*source
	turn atomic.Uint32
}

func newSources(c Consumer) *sources {
	s := &sources{}
	add := func(durable, filter string) {
		s.all = append(s.all, &source{
			durable: durable, filter: filter, subject: fmt.Sprintf("$JS.API.CONSUMER.MSG.NEXT.%s.%s", c.Stream, durable),
		})
	}
	if c.Stream != StreamWork {
		add(c.Name, c.Filter)
		return s
	}
	filter := c.Filter
	if filter == "" {
		filter = ">"
	}
	for lane := range lanes {
		add(fmt.Sprintf("%s-%d", c.Name, lane), kept(fmt.Sprint(lane), "*", filter))
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
	return &asking{sources: s, most: most, last: time.Now(), wait: min(laneWait, most), tried: make([]bool, len(s.all))}
}

// next returns where to ask, and for how long to wait there: first the lane whose
// turn it is, then the others, without waiting, and when all are empty the first.
func (a *asking) next() (*source, time.Duration) {
	if len(a.all) == 1 {
		return a.all[0], a.most
	}
	now := time.Now().UnixNano()
	fresh := true
	for _, tried := range a.tried {
		fresh = fresh && !tried
	}
	if fresh {
		at := turns[a.turn.Add(1)%uint32(len(turns))]
		if now-a.all[at].emptyAt.Load() > int64(emptyFor) {
			a.tried[at] = true
			return a.all[at], 0
		}
	}
	for at, source := range a.all {
		if !a.tried[at] && (at == 0 || now-source.emptyAt.Load() > int64(emptyFor)) {
			a.tried[at] = true
			return source, 0
		}
	}
	clear(a.tried)
	wait := a.wait
	a.wait = min(2*a.wait, laneMostWait, a.most)
	return a.all[0], wait
}

// found begins a new round.
func (a *asking) found() {
	clear(a.tried)
	a.last, a.wait = time.Now(), min(laneWait, a.most)
}

// empty remembers that a source had nothing.
func (a *asking) empty(at *source) { at.emptyAt.Store(time.Now().UnixNano()) }

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
