//go:build capacity

package simulation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/bus/consume"
	"github.com/assay-project/assay/services/assay/test/bench/pipeline"
	"github.com/assay-project/assay/services/assay/test/capacity"
)

// lows are the numbers of files in flight from which the model is calibrated, and highs those for which it predicts the
// rate: `assay serve` uses all processors with both of them, and not with one.
var lows, highs = []int{1, 2, 3, 4}, []int{32, 64}

// measured are the medians of several rounds on one node.
type measured struct {
	Sync  time.Duration // of 4 KB, on the disk of the node
	Loads map[int]pipeline.Figures
}

// measureNode measures `assay serve` in a process of its own, with low and high loads in turn.
func measureNode(t *testing.T, rounds int, length time.Duration) measured {
	t.Helper()
	dir := t.TempDir()
	node, err := pipeline.StartNode(filepath.Join(dir, "node"))
	if err != nil {
		t.Fatal(err)
	}
	defer node.Stop()
	if _, err := node.Load(t.Context(), capacity.TextForm, 32, length); err != nil { // warm up
		t.Fatal(err)
	}
	settle(t, node)
	if _, err := node.Load(t.Context(), capacity.TextForm, 32, length); err != nil {
		t.Fatal(err)
	}
	all := map[int][]pipeline.Figures{}
	m := measured{Loads: map[int]pipeline.Figures{}}
	var syncs []time.Duration
	for range rounds {
		syncs = append(syncs, syncTime(t, dir))
		for _, n := range slices.Concat(lows, highs) {
			f, err := node.Load(t.Context(), capacity.TextForm, n, length)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d in flight: %.0f/s, CPU %s and %s, %.2f processors, %.1f ms", n, f.Rate, f.CPU, f.Client, f.Processors, f.Completed[0]*1e3)
			all[n] = append(all[n], f)
		}
	}
	m.Sync = median(syncs, func(d time.Duration) time.Duration { return d })
	for n, runs := range all {
		m.Loads[n] = pipeline.Figures{
			InFlight: n, Rate: median(runs, func(f pipeline.Figures) float64 { return f.Rate }),
			CPU:        median(runs, func(f pipeline.Figures) time.Duration { return f.CPU }),
			Client:     median(runs, func(f pipeline.Figures) time.Duration { return f.Client }),
			Processors: median(runs, func(f pipeline.Figures) float64 { return f.Processors }),
			Accepted:   [2]float64{median(runs, func(f pipeline.Figures) float64 { return f.Accepted[0] })},
			Completed:  [2]float64{median(runs, func(f pipeline.Figures) float64 { return f.Completed[0] })},
		}
	}
	return m
}

// settle waits until the node is idle after it has compiled its engines, which it does 10 s after the start.
func settle(t *testing.T, node *pipeline.Node) {
	t.Helper()
	for wait := 12 * time.Second; ; wait = time.Second {
		idle, err := node.Idle(t.Context(), wait)
		if err != nil {
			t.Fatal(err)
		}
		if wait == time.Second && idle < 0.1 {
			return
		}
	}
}

// median returns the median of a quantity.
func median[T any, N float64 | time.Duration](all []T, of func(T) N) N {
	var values []N
	for _, one := range all {
		values = append(values, of(one))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// syncTime returns the median time of a write of 4 KB and its sync.
func syncTime(t *testing.T, dir string) time.Duration {
	t.Helper()
	file, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		t.Fatal(err)
	}
	var times []time.Duration
	for range 101 {
		began := time.Now()
		if _, err := file.Write(make([]byte, 4096)); err != nil {
			t.Fatal(err)
		}
		if err := file.Sync(); err != nil {
			t.Fatal(err)
		}
		times = append(times, time.Since(began))
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return median(times, func(d time.Duration) time.Duration { return d })
}

// predict returns the model of the node with a number of files in flight. The CPU time of a file is the part that each
// file needs, and one that files in flight share, such as the commits of the DynamoDB engine and the wake-ups of threads;
// both follow from the low loads by the method of least squares. Other programs leave processors to the node; the time of
// the model's processors grows accordingly.
func (m measured) predict(n int, processors float64) Model {
	var inverse, times []float64
	for _, low := range lows {
		inverse, times = append(inverse, 1/float64(low)), append(times, (m.Loads[low].CPU+m.Loads[low].Client).Seconds())
	}
	own, shared := fit(inverse, times)
	total := own + shared/float64(n)
	one := m.Loads[1]
	client := m.Loads[lows[len(lows)-1]].Client.Seconds()
	acceptShare := one.Accepted[0] / one.Completed[0]
	cores := runtime.NumCPU()
	duration := func(seconds float64) time.Duration {
		return time.Duration(seconds * float64(cores) / processors * float64(time.Second))
	}
	return Model{
		Ingests: 1, Analyzers: 1, Shared: true, Processors: cores,
		Accept: duration((total - client) * acceptShare), Process: duration((total - client) * (1 - acceptShare)), Client: duration(client),
		Sync: m.Sync, Leader: Leader{Publish: m.Sync},
		Parallel: 16, Streamed: 32, MaxMessages: 1_000_000, MaxPerOwner: 100_000,
	}
}

// fit returns the line y = a + b·x with the least squares.
func fit(x, y []float64) (a, b float64) {
	n, sx, sy, sxx, sxy := float64(len(x)), 0., 0., 0., 0.
	for i := range x {
		sx, sy, sxx, sxy = sx+x[i], sy+y[i], sxx+x[i]*x[i], sxy+x[i]*y[i]
	}
	b = (n*sxy - sx*sy) / (n*sxx - sx*sx)
	return (sy - b*sx) / n, b
}

// measureLeader measures the CPU time that a NATS server uses to store a work event, and to deliver it and remove it, with
// 64 clients. The model lets one processor of the leader do all of it.
func measureLeader(t *testing.T, events int) Leader {
	t.Helper()
	streams, url, err := pipeline.StartStreams(filepath.Join(t.TempDir(), "streams"))
	if err != nil {
		t.Fatal(err)
	}
	defer streams.Stop()
	cpu := func() time.Duration {
		used, err := streams.CPU()
		if err != nil {
			t.Fatal(err)
		}
		return used
	}
	b, err := bus.Connect(t.Context(), bustest.Settings(url, bus.Config{WorkMaxMessages: int64(events) + 1}), "test", zerolog.Nop(), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	const parallel = 64
	var next atomic.Int64
	before := cpu()
	var publishers sync.WaitGroup
	for range parallel {
		publishers.Go(func() {
			for i := next.Add(1); i <= int64(events); i = next.Add(1) {
				if err := b.Publish(t.Context(), bustest.UploadedBy(fmt.Sprint("owner-", i%1000), fmt.Sprint("f", i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	publishers.Wait()
	stored := cpu()
	ctx, cancel := context.WithCancel(t.Context())
	var handled atomic.Int64
	done := make(chan struct{})
	c := bustest.Consumer(func(context.Context, bus.Delivery) error {
		if handled.Add(1) == int64(events) {
			close(done)
		}
		return nil
	})
	c.Parallel = parallel
	ended := make(chan error, 1)
	go func() { ended <- consume.New(b, zerolog.Nop(), prometheus.NewRegistry()).Run(ctx, c) }()
	<-done
	removed := cpu()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	publish, consumed := (stored-before)/time.Duration(events), (removed-stored)/time.Duration(events)
	t.Logf("a NATS server uses %s of CPU time to store an event, and %s to deliver and remove it", publish, consumed)
	return Leader{Publish: publish, Pull: consumed / 2, Ack: consumed / 2, Read: consumed / 2, Network: time.Millisecond}
}
