package crashpoint

import (
	"fmt"
	"sync"

	"github.com/assay-project/assay/services/assay/test/fault/wire"
)

// side is the moment before or after one kind of call by a role.
type side struct {
	role string
	call wire.Call
	at   wire.Moment
}

// point is a possible crash: at the nth such call since the scenario began or since the previous crash.
// Only deliveries and calls that change something are points.
type point struct {
	side
	n int
}

func (p point) String() string { return fmt.Sprintf("%s: %s %s #%d", p.role, p.at, p.call, p.n) }

// script records the calls of a system's services while a scenario runs, and
// crashes the services at the given points.
type script struct {
	died chan struct{} // receives a value for each crash

	mu    sync.Mutex
	runs  bool
	seen  map[side]int
	order []point
	die   []point // remaining crashes; n counts from the previous crash
}

func newScript() *script { return &script{died: make(chan struct{}, 16)} }

// begin starts recording, with crashes at the given points.
func (s *script) begin(die ...point) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs, s.seen, s.order, s.die = true, map[side]int{}, nil, die
}

// end stops recording. It returns the points that were reached, and the crash points
// that were not.
func (s *script) end() (passed, unreached []point) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = false
	return s.order, s.die
}

func (s *script) hook(role string) wire.Hook {
	return func(call wire.Call, at wire.Moment) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.runs || !call.Changes() {
			return false
		}
		here := point{side: side{role, call, at}}
		s.seen[here.side]++
		here.n = s.seen[here.side]
		s.order = append(s.order, here)
		if len(s.die) == 0 || s.die[0] != here {
			return false
		}
		s.die, s.seen = s.die[1:], map[side]int{}
		s.died <- struct{}{}
		return true
	}
}
