// Package crashpoint lets the services die at every call that they make to an
// engine in the lives of their items, and sees that every promise is kept all the
// same. What the points are nobody writes down: they are what a wire to the
// engines sees while a life is lived undisturbed.
package crashpoint

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/assay/test/fault/ledger"
	"github.com/assay-project/assay/services/ingest"
)

var (
	seed    = flag.Uint64("crash.seed", 1, "by which two deaths in one life are chosen")
	doubles = flag.Int("crash.doubles", 20, "how many lives have two deaths")
	houses  = flag.Int("crash.houses", 16, "how many houses live at once")
)

// death is a life with the points at which its services die.
type death struct {
	life   life
	points []point
	leaves bool // the client goes away at the first death
	whole  bool // all services die together
}

func (d death) String() string {
	who := ""
	if d.leaves {
		who = ", its client gone"
	}
	if d.whole {
		who += ", all services together"
	}
	return fmt.Sprintf("%s, death at %v%s", d.life.name, d.points, who)
}

// TestEveryCrashPoint: whatever call a service dies at, before it or before its
// answer is seen, everything accepted comes to its right end, once, with nothing
// left behind.
func TestEveryCrashPoint(t *testing.T) {
	ctx := t.Context()
	engines := startEngines(t, max(*houses, len(lives())))
	street := openStreet(ctx, t, engines)
	if t.Failed() {
		t.FailNow()
	}

	passed := make([][]point, len(lives()))
	var observing sync.WaitGroup
	for i, life := range lives() {
		observing.Go(func() { passed[i], _ = street[i].liveThrough(ctx, t, death{life: life}) })
	}
	observing.Wait()
	if t.Failed() {
		t.FailNow()
	}
	cases := matrix(passed)
	t.Logf("%d lives, %d deaths", len(lives()), len(cases))

	queue := make(chan death)
	var unreached atomic.Int64
	var living sync.WaitGroup
	for _, h := range street {
		living.Go(func() {
			for d := range queue {
				if !h.die(ctx, t, d) {
					unreached.Add(1)
					t.Logf("not reached: %s", d)
				}
			}
		})
	}
	for _, d := range cases {
		queue <- d
	}
	close(queue)
	living.Wait()
	if n := int(unreached.Load()); n > len(cases)/2 {
		t.Errorf("%d of %d points were not reached again", n, len(cases))
	}
	report := judge(ctx, t, street)
	t.Log(report)
	run := ledger.Run{
		Fault: "crash at each call to a backend, and at pairs of calls", Seed: *seed, Runs: len(cases) - int(unreached.Load()),
		Means: "The client received the 2xx of its call: multipart upload, `uploaded`, PUT where a bucket notification follows, " +
			"retry, delete, or feed item.",
	}
	if err := ledger.Enter(run.Of(report)); err != nil {
		t.Error(err)
	}
}

// openStreet opens all houses.
func openStreet(ctx context.Context, t *testing.T, e *engines) []*house {
	t.Helper()
	street := make([]*house, max(*houses, len(lives())))
	var opening sync.WaitGroup
	for i := range street {
		opening.Go(func() {
			street[i] = openHouse(ctx, t, e, i)
			street[i].liveThrough(ctx, t, death{life: lives()[0]}) // all consumers are there then
		})
	}
	opening.Wait()
	t.Cleanup(func() {
		var closing sync.WaitGroup
		for _, h := range street {
			closing.Go(func() { h.close(t) })
		}
		closing.Wait()
	})
	return street
}

// repeats bounds how often one call is a point of one life. More of it are the
// polls of a slow machine.
const repeats = 6

// matrix is all deaths: one at each point that the lives passed, and two by seed.
func matrix(passed [][]point) []death {
	var all []death
	random := rand.New(rand.NewPCG(*seed, 0))
	deadly := make([][]point, len(passed))
	for i, life := range lives() {
		for _, p := range passed[i] {
			if !slices.Contains(life.roles, p.role) || p.n > repeats {
				continue
			}
			deadly[i] = append(deadly[i], p)
			all = append(all, death{life: life, points: []point{p}})
			if life.leaves && p.role == ingest.Name {
				all = append(all, death{life: life, points: []point{p}, leaves: true})
			}
		}
	}
	for range *doubles {
		i := random.IntN(len(deadly))
		pick := func() point { return deadly[i][random.IntN(len(deadly[i]))] }
		all = append(all, death{life: lives()[i], points: []point{pick(), pick()}, whole: random.IntN(2) == 0})
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:len(all)/share]
}

// tries is how often a life is lived again whose point was not reached: what a
// poll comes upon is not the same each time.
const tries = 2

// die lives a life with its deaths, and says whether the first was reached.
func (h *house) die(ctx context.Context, t *testing.T, d death) bool {
	for range tries {
		_, unreached := h.liveThrough(ctx, t, d)
		if len(unreached) < len(d.points) || t.Failed() {
			return true
		}
	}
	return false
}

// liveThrough lives a life and returns the points that it passed, and those at
// which it should have died and did not.
func (h *house) liveThrough(ctx context.Context, t *testing.T, d death) (passed, unreached []point) {
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	h.notices.Store(d.life.notices)
	h.whole.Store(d.whole)
	l := &living{visitor: newVisitor(h, d.leaves), t: t, run: d.String(), ids: map[string]string{}, begin: func() { h.script.begin(d.points...) }}
	if err := h.well(ctx); err != nil {
		t.Error(err)
	}
	d.life.live(ctx, l)
	passed, unreached = h.script.end()
	if ctx.Err() != nil {
		for _, role := range services() {
			t.Errorf("house %d: %s: %s says\n%s", h.number, d, role, h.current(role).log)
		}
	}
	return passed, unreached
}

// judge sweeps each house, since clients may have gone away, and audits it.
func judge(ctx context.Context, t *testing.T, street []*house) audit.Report {
	t.Helper()
	select {
	case <-ctx.Done():
	case <-time.After(expires):
	}
	reports := make([]audit.Report, len(street))
	var judging sync.WaitGroup
	for i, h := range street {
		judging.Go(func() {
			h.script.end()
			h.sweep(ctx, t)
			report, err := h.system.Audit(ctx, h.promises, soon)
			if err != nil {
				t.Errorf("house %d: %v", i, err)
			}
			reports[i] = report
		})
	}
	judging.Wait()
	var all audit.Report
	for _, report := range reports {
		all.Add(report)
	}
	if !all.Kept() {
		t.Error(all)
	}
	return all
}
