package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/analyzer"
	e2e "github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/ingest/notice"
	"github.com/assay-project/assay/services/query"
)

// system contains the engines, the services that use them, and the number of injected
// faults.
type system struct {
	*engines
	done map[string]int // number of injections, by the name of the fault

	mu      sync.Mutex
	running []*service
	dead    []*service
	// streams serializes faults of streams and nodes: the system does not promise to
	// survive the failure of two of three nodes, or the loss of a full stream.
	streams sync.Mutex
}

// each is the number of services of each role.
const each = 2

func (h *system) start(ctx context.Context) error {
	for _, role := range []string{ingest.Name, analyzer.Name, query.Name} {
		for range each {
			s := h.begin(ctx, role)
			if s == nil {
				return fmt.Errorf("%s did not start", role)
			}
			h.cover(s)
			h.running = append(h.running, s)
		}
	}
	return nil
}

// cover makes clients check the responses of an ingest against its API description, which is read at the first start.
func (h *system) cover(s *service) {
	if s.role == ingest.Name {
		e2e.ServesAs(h.t, s.role, "public", s.url, nil)
	}
}

func (h *system) of(role string) []*service {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []*service
	for _, s := range h.running {
		if s.role == role {
			found = append(found, s)
		}
	}
	return found
}

// replace kills a service and starts another in its place.
func (h *system) replace(ctx context.Context, at int) {
	h.mu.Lock()
	old := h.running[at]
	h.mu.Unlock()
	old.kill()
	for ctx.Err() == nil {
		next := h.begin(ctx, old.role)
		if next == nil {
			wait(ctx, 100*time.Millisecond)
			continue
		}
		h.cover(next)
		h.mu.Lock()
		h.running[at] = next
		h.dead = append(h.dead, old)
		h.mu.Unlock()
		return
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// fault is a kind of fault. do injects it, waits for d or until ctx is done, and clears
// it; some faults have a fixed duration.
type fault struct {
	name string
	do   func(ctx context.Context, h *system, random *rand.Rand, d time.Duration)
}

func dynamo(kind dynamolite.FaultKind, probability float64) func(context.Context, *system, *rand.Rand, time.Duration) {
	return func(ctx context.Context, h *system, random *rand.Rand, d time.Duration) {
		defer h.dynamo.Faults().Add(dynamolite.Fault{Kind: kind, Probability: probability, Seed: random.Uint64(), Delay: 300 * time.Millisecond})()
		wait(ctx, d)
	}
}

func s3(fail, slow float64) func(context.Context, *system, *rand.Rand, time.Duration) {
	return func(ctx context.Context, h *system, _ *rand.Rand, d time.Duration) {
		h.s3.set(fail, slow)
		defer h.s3.set(0, 0)
		wait(ctx, d)
	}
}

func faults() []fault {
	return []fault{
		{"DynamoDB throttles", dynamo(dynamolite.Throttle, 0.4)},
		{"conflicting transactions", dynamo(dynamolite.Conflict, 0.4)},
		{"DynamoDB fails before a write", dynamo(dynamolite.ErrorBefore, 0.3)},
		{"DynamoDB fails after a write", dynamo(dynamolite.ErrorAfter, 0.3)},
		{"DynamoDB is slow", dynamo(dynamolite.Delay, 0.4)},
		{"S3 fails", s3(0.4, 0)},
		{"S3 is slow", s3(0, 0.5)},
		{"a service is killed", func(ctx context.Context, h *system, random *rand.Rand, _ time.Duration) {
			h.replace(ctx, random.IntN(3*each))
		}},
		{"a service is paused beyond its lease", func(ctx context.Context, h *system, random *rand.Rand, _ time.Duration) {
			h.mu.Lock()
			s := h.running[random.IntN(3*each)]
			h.mu.Unlock()
			s.pause()
			defer s.resume()
			wait(ctx, lease+lease/2)
		}},
		{"a NATS node is down", func(ctx context.Context, h *system, random *rand.Rand, d time.Duration) {
			h.streams.Lock()
			defer h.streams.Unlock()
			node := random.IntN(nodes)
			h.stopNode(node)
			defer h.startNode(node)
			wait(ctx, d)
		}},
		{"a stream's leader steps down", func(ctx context.Context, h *system, random *rand.Rand, _ time.Duration) {
			names := []string{textfile.WorkStream, feed.WorkStream, notice.Stream, bus.StreamOutcomes, bus.StreamAttempts, bus.StreamDead}
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			_, _ = h.js.Conn().RequestWithContext(ctx, "$JS.API.STREAM.LEADER.STEPDOWN."+names[random.IntN(len(names))], nil) // there may be no leader
		}},
		{"the work streams are full", func(ctx context.Context, h *system, _ *rand.Rand, d time.Duration) {
			h.streams.Lock()
			defer h.streams.Unlock()
			defer h.limit(ctx, 1_000_000)
			h.limit(ctx, 1)
			wait(ctx, d)
		}},
		{"a stream is wiped", func(ctx context.Context, h *system, random *rand.Rand, _ time.Duration) {
			h.streams.Lock()
			defer h.streams.Unlock()
			names := []string{textfile.WorkStream, feed.WorkStream, notice.Stream, bus.StreamOutcomes, bus.StreamAttempts}
			ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
			defer cancel()
			_ = h.js.DeleteStream(ctx, names[random.IntN(len(names))]) // its leader may be down
		}},
	}
}

// limit sets the maximum number of messages of each work stream. If it fails to reset the
// limit, the setup after the faults does.
func (h *system) limit(ctx context.Context, most int64) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	for _, name := range []string{textfile.WorkStream, feed.WorkStream} {
		stream, err := h.js.Stream(ctx, name)
		if err != nil {
			return
		}
		cfg := stream.CachedInfo().Config
		cfg.MaxMsgs = most
		_, _ = h.js.UpdateStream(ctx, cfg)
	}
}

// injectFaults injects random faults sequentially until ctx is done.
func (h *system) injectFaults(ctx context.Context, random *rand.Rand) {
	for all := faults(); ctx.Err() == nil; {
		one := all[random.IntN(len(all))]
		one.do(ctx, h, random, 300*time.Millisecond+time.Duration(random.IntN(2500))*time.Millisecond)
		h.mu.Lock()
		h.done[one.name]++
		h.mu.Unlock()
		wait(ctx, time.Duration(random.IntN(400))*time.Millisecond)
	}
}

// clearFaults clears all faults, including those whose own cleanup failed.
func (h *system) clearFaults() {
	h.dynamo.Faults().Clear()
	h.s3.set(0, 0)
	for i := range nodes {
		h.engines.mu.Lock()
		down := h.nats[i] == nil
		h.engines.mu.Unlock()
		if down {
			h.startNode(i)
		}
	}
	for _, s := range h.running {
		s.resume()
	}
}
