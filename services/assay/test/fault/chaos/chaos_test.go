// Package chaos runs several ingests, analyzers and queries on a NATS cluster, S3
// and DynamoDB, and injects faults into all of them, chosen by a seed. Then it clears
// the faults, sweeps, and audits every accepted upload.
//
// `make chaos SEED=7 MINUTES=5` runs longer than the merge checks. The same seed
// chooses the same faults and uploads; their relative timing depends on the machine.
package chaos

import (
	"context"
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/analyzer/sweeper"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/assay/test/fault/ledger"
	"github.com/assay-project/assay/services/ingest"
)

var (
	seed    = flag.Uint64("chaos.seed", 1, "random seed of the faults and uploads")
	minutes = flag.Float64("chaos.minutes", 0.1, "how long to inject faults, in minutes")
)

const (
	clients = 6
	pace    = 100 * time.Millisecond // between the uploads of a client
	// recovery limits the wait until all accepted items are in a final state. Work
	// that failed repeatedly waits for its backoff, at most 5 minutes.
	recovery = 7 * time.Minute
)

func TestChaosKeepsThePromises(t *testing.T) {
	if testing.Short() {
		t.Skip("make chaos runs it")
	}
	e := startEngines(t)
	direct := environ(e.natsURLs(), e.dynamoDB, e.s3.url)
	setUp := func(ctx context.Context) error {
		cfg, err := config.Load[setup.Config](direct)
		if err != nil {
			return err
		}
		return setup.Run(ctx, cfg)
	}
	eventually(t, "set up the engines", setUp)
	h := &system{engines: e, done: map[string]int{}}
	// The context has no deadline, because the NATS client would apply it to each request.
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	defer cancel()
	defer time.AfterFunc(time.Duration(*minutes*float64(time.Minute))+recovery+2*time.Minute, cancel).Stop()
	defer h.end()
	if err := h.start(ctx); err != nil {
		t.Fatal(err)
	}
	began := time.Now()

	l := &load{ingests: func() []*service { return h.of(ingest.Name) }}
	faulty, cancelFaults := context.WithTimeout(ctx, time.Duration(*minutes*float64(time.Minute)))
	defer cancelFaults()
	var loading, injecting sync.WaitGroup
	loading.Go(func() { l.run(ctx, *seed, clients, pace) })
	for stream := range uint64(2) { // two faults at a time
		injecting.Go(func() { h.injectFaults(faulty, rand.New(rand.NewPCG(*seed, 1000+stream))) })
	}
	injecting.Wait()
	h.clearFaults()
	h.replaceDead(ctx)
	eventually(t, "set up the engines after the faults", setUp)
	l.stopped.Store(true)
	loading.Wait()

	report := settle(ctx, t, direct, l.promises, began)
	for _, name := range slices.Sorted(maps.Keys(h.done)) {
		t.Logf("%3d × %s", h.done[name], name)
	}
	t.Logf("seed %d: %d attempts for %d uploads in %s; %s", *seed, l.tries, len(l.promises), time.Since(began).Round(time.Second), report)
	if !report.Kept() || report.Accepted != len(l.promises) {
		t.Errorf("seed %d: %d accepted, %d lost, %d doubled, %d stuck; want %d, 0, 0, 0", *seed, report.Accepted, report.Lost, report.Doubled, report.Stuck, len(l.promises))
	}
	err := ledger.Enter(ledger.Run{
		Fault: "chaos: failing and slow backends, services killed and paused, one of three NATS nodes down, leader changes, a full and a wiped stream",
		Means: "The client received the 2xx of its request: a multipart upload, an `uploaded` call, a PUT if a bucket notification follows, or a POST of feed items.",
		Seed:  *seed, Runs: 1,
	}.Of(report))
	if err != nil {
		t.Error(err)
	}
}

// settle sweeps and audits until all promises are kept or the recovery time has passed.
func settle(ctx context.Context, t *testing.T, direct []string, promises []audit.Promise, began time.Time) audit.Report {
	t.Helper()
	cfg, err := config.Load[setup.Config](direct)
	if err != nil {
		t.Fatal(err)
	}
	system, err := audit.Open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer system.Close()
	sweeping, err := config.Load[analyzer.Config](direct)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(recovery); ; {
		// Outcomes that were lost with their stream are republished.
		_, swept := analyzer.Sweep(ctx, sweeping, sweeper.Options{OutcomesSince: began}, zerolog.Nop())
		report, err := system.Audit(ctx, promises, 3*time.Second)
		if err == nil && swept == nil && report.Kept() {
			return report
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			if err != nil || swept != nil {
				t.Errorf("audit: %v, sweep: %v", err, swept)
			}
			return report
		}
	}
}

// replaceDead replaces services that were killed or exited unexpectedly.
func (h *system) replaceDead(ctx context.Context) {
	for at, s := range h.running {
		if !s.killed.Load() && s.ended() {
			h.t.Logf("%s exited unexpectedly: %v", s.role, s.err)
		}
		if s.killed.Load() || s.ended() {
			h.replace(ctx, at)
		}
	}
}

// end stops all services and waits until they exit.
func (h *system) end() {
	for _, s := range append(h.running, h.dead...) {
		s.stop()
	}
	for _, s := range append(h.running, h.dead...) {
		select {
		case <-s.done:
		case <-time.After(ready):
			h.t.Errorf("%s did not exit within %s", s.role, ready)
		}
		s.kill()
	}
}
