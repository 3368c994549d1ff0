// Package crashpoint crashes the services at every call to an engine that changes
// something and at every delivery of a message, and checks that every promise is
// kept. The crash points are not listed in code: a proxy between each service and
// the engines records them during a run of each scenario without crashes.
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

	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/assay/test/fault/ledger"
	"github.com/assay-project/assay/services/ingest"
)

var (
	seed     = flag.Uint64("crash.seed", 1, "random seed of the pairs of crashes, their order, and the share to run")
	doubles  = flag.Int("crash.doubles", 4, "number of runs with two crashes")
	share    = flag.Int("crash.share", 100, "run one in this many crashes, chosen by the seed; 1 runs all")
	parallel = flag.Int("crash.systems", 2, "number of concurrent systems")
	only     = flag.String("crash.scenarios", "", "run the scenarios whose names have this prefix, such as library; by default all")
)

// crash is a scenario with the points at which services crash.
type crash struct {
	scenario scenario
	points   []point
	abandons bool // the client gives up at the first crash
	together bool // all services crash together
}

func (c crash) String() string {
	who := ""
	if c.abandons {
		who = ", the client gives up"
	}
	if c.together {
		who += ", all services together"
	}
	return fmt.Sprintf("%s, crash at %v%s", c.scenario.name, c.points, who)
}

// TestEveryCrashPoint crashes a service before a call, or after the call but before it receives the
// response. Every accepted item reaches its correct final state exactly once, and leaves nothing behind.
func TestEveryCrashPoint(t *testing.T) {
	ctx := t.Context()
	t.Setenv("ASSAY_GEMINI_KEY", geminitest.Key)
	systems := openSystems(ctx, t, startEngines(t, *parallel))
	if t.Failed() {
		t.FailNow()
	}

	all := scenarios()
	passed := make([][]point, len(all))
	each(systems, indexes(len(all)), func(s *system, i int) {
		passed[i], _ = s.run(ctx, t, crash{scenario: all[i]})
	})
	if t.Failed() {
		t.FailNow()
	}
	total, cases, err := matrix(passed)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d scenarios, %d crashes, of which %d run", len(all), total, len(cases))

	var unreached atomic.Int64
	each(systems, cases, func(s *system, c crash) {
		if !s.crash(ctx, t, c) {
			unreached.Add(1)
			t.Logf("point not reached: %s", c)
		}
	})
	if n := int(unreached.Load()); n > len(cases)/4 {
		t.Errorf("%d of %d points were not reached again, want at most a quarter of them", n, len(cases))
	}
	report := judge(ctx, t, systems)
	t.Log(report)
	entry := ledger.Run{
		Fault: "crash at each call that changes something, at each delivery of a message, and at pairs of these", Seed: *seed, Runs: len(cases) - int(unreached.Load()),
		Means: "The client received the 2xx of its request: a multipart upload, an `uploaded` call, a PUT if a bucket notification " +
			"follows, a retry, a cancel, a delete, a POST of a feed item, or a photo batch.",
	}
	if err := ledger.Enter(entry.Of(report)); err != nil {
		t.Error(err)
	}
}

// openSystems opens all systems, and runs one scenario on each, so that all
// consumers exist.
func openSystems(ctx context.Context, t *testing.T, e *engines) []*system {
	t.Helper()
	systems := make([]*system, *parallel)
	t.Cleanup(func() {
		var closing sync.WaitGroup
		for _, s := range systems {
			if s != nil {
				closing.Go(func() { s.close(t) })
			}
		}
		closing.Wait()
	})
	for i := range systems {
		systems[i] = openSystem(ctx, t, e, i)
		systems[i].run(ctx, t, crash{scenario: scenarios()[0]})
	}
	return systems
}

// each calls do with every task. Each system runs one task at a time.
func each[T any](systems []*system, tasks []T, do func(*system, T)) {
	queue := make(chan T, len(tasks))
	for _, task := range tasks {
		queue <- task
	}
	close(queue)
	var running sync.WaitGroup
	for _, s := range systems {
		running.Go(func() {
			for task := range queue {
				do(s, task)
			}
		})
	}
	running.Wait()
}

func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// matrix returns the total number of crashes and the share of them to run. There is one
// crash at each recorded point, a second one if the client can give up there, and the
// pairs. It returns an error if a scenario has no point.
func matrix(passed [][]point) (total int, cases []crash, err error) {
	var all []crash
	random := rand.New(rand.NewPCG(*seed, 0))
	points := make([][]point, len(passed))
	for i, scenario := range scenarios() {
		for _, p := range passed[i] {
			if slices.Contains(scenario.roles, p.role) {
				points[i] = append(points[i], p)
			}
		}
		if len(points[i]) == 0 {
			return 0, nil, fmt.Errorf("%s: no call was recorded", scenario.name)
		}
		for _, p := range points[i] {
			all = append(all, crash{scenario: scenario, points: []point{p}})
			if scenario.abandons && p.role == ingest.Name {
				all = append(all, crash{scenario: scenario, points: []point{p}, abandons: true})
			}
		}
	}
	for range *doubles {
		i := random.IntN(len(points))
		pick := func() point { return points[i][random.IntN(len(points[i]))] }
		all = append(all, crash{scenario: scenarios()[i], points: []point{pick(), pick()}, together: random.IntN(2) == 0})
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return len(all), all[:len(all) / *share], nil
}

// tries is the maximum number of runs of a scenario whose crash point is not
// reached: concurrent calls differ between runs.
const tries = 2

// crash runs a scenario with its crashes, and reports whether the first was reached.
func (s *system) crash(ctx context.Context, t *testing.T, c crash) bool {
	for range tries {
		_, unreached := s.run(ctx, t, c)
		if len(unreached) < len(c.points) || t.Failed() {
			return true
		}
	}
	return false
}

// run runs a scenario and returns the points that were reached, and the crash
// points that were not.
func (s *system) run(ctx context.Context, t *testing.T, c crash) (passed, unreached []point) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s.notices.Store(c.scenario.notices)
	s.together.Store(c.together)
	r := &run{client: newClient(s, c.abandons), t: t, title: c.String(), ids: map[string]string{}, begin: func() { s.script.begin(c.points...) }}
	if err := s.ready(ctx); err != nil {
		t.Error(err)
	}
	c.scenario.play(ctx, r)
	passed, unreached = s.script.end()
	if ctx.Err() != nil {
		for _, role := range services() {
			t.Errorf("system %d: %s: log of %s\n%s", s.number, c, role, s.current(role).log)
		}
	}
	return passed, unreached
}

// judge sweeps each system, because clients may have given up, and audits it.
func judge(ctx context.Context, t *testing.T, systems []*system) audit.Report {
	t.Helper()
	select {
	case <-ctx.Done():
	case <-time.After(expires):
	}
	var mu sync.Mutex
	var all audit.Report
	each(systems, indexes(len(systems)), func(_ *system, i int) {
		s := systems[i]
		s.script.end()
		s.sweep(ctx, t)
		report, err := s.audit.Audit(ctx, s.promises, limit)
		if err != nil {
			t.Errorf("system %d: %v", i, err)
		}
		if open, _, err := s.audit.Bucket().OpenUploads(ctx, "", ""); err != nil || len(open) > 0 {
			t.Errorf("system %d: %d uploads in parts are open, want none: %+v, %v", i, len(open), open, err)
		}
		mu.Lock()
		defer mu.Unlock()
		all.Add(report)
	})
	if !all.Kept() {
		t.Error(all)
	}
	return all
}
