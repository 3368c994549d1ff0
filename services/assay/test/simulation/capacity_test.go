//go:build capacity

package simulation

import (
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/bench/paired"
	"github.com/assay-project/assay/services/assay/test/bench/pipeline"
	"github.com/assay-project/assay/services/assay/test/capacity"
)

var (
	write  = flag.String("write", "", "a file in which to replace the tables, such as docs/capacity.md")
	rounds = flag.Int("rounds", 5, "rounds of the measurement of a node")
	length = flag.Duration("length", 3*time.Second, "duration of one load of a node")
)

// into replaces a table, and logs it.
func into(t *testing.T, name, text string) {
	t.Helper()
	t.Logf("%s:\n%s", name, text)
	if *write == "" {
		return
	}
	if err := paired.WriteInto(*write, name, text); err != nil {
		t.Error(err)
	}
}

// TestNode predicts the rate of `assay serve` from low loads, and compares it with the rate measured in the same run.
func TestNode(t *testing.T) {
	before := paired.Load()
	m := measureNode(t, *rounds, *length)
	var b strings.Builder
	fmt.Fprintf(&b, "%s. Medians of %d rounds of %s. Load before %s, after %s. A sync takes %.2f ms.\n\n", paired.Machine(), *rounds, *length,
		before, paired.Load(), m.Sync.Seconds()*1e3)
	b.WriteString("|in flight|processors|CPU of the node and of the client, ms|files/s, measured|files/s, simulated|simulated / measured|p50 to COMPLETED, measured|simulated|\n|---|---|---|---|---|---|---|---|\n")
	for _, n := range append(append([]int{}, lows...), highs...) {
		f, processors := m.Loads[n], float64(runtime.NumCPU())
		if n > lows[len(lows)-1] { // the node uses all processors that other programs leave
			processors = f.Processors
		}
		var r Result
		virtual(t, func(t *testing.T) {
			var err error
			if r, err = closed(m.predict(n, processors), n, 10*time.Second); err != nil {
				t.Error(err)
			}
		})
		ratio := r.Completed / f.Rate
		use := ""
		if n <= lows[len(lows)-1] {
			use = " (calibrates)"
		}
		fmt.Fprintf(&b, "|%d%s|%.2f|%.2f + %.2f|%.0f|%.0f|**%.2f**|%.1f ms|%.1f ms|\n", n, use, f.Processors, f.CPU.Seconds()*1e3, f.Client.Seconds()*1e3, f.Rate, r.Completed, ratio,
			f.Completed[0]*1e3, percentile(r.Small[1], .5)*1e3)
		if use == "" && (ratio < 0.8 || ratio > 1.2) {
			t.Errorf("%d in flight: the simulated rate is %.2f of the measured one, want 0.8 to 1.2", n, ratio)
		}
	}
	into(t, "node", b.String())
}

// TestCosts measures the CPU time of an item of each area in the services, without that of the engines.
func TestCosts(t *testing.T) {
	before := paired.Load()
	node, err := pipeline.StartServices(filepath.Join(t.TempDir(), "services"))
	if err != nil {
		t.Fatal(err)
	}
	defer node.Stop()
	kinds := []string{capacity.TextForm, capacity.FeedItem, capacity.Photo, capacity.LibraryFile}
	times := map[string][]time.Duration{}
	for round := range *rounds + 1 {
		for _, kind := range kinds {
			f, err := node.Load(t.Context(), kind, 8, *length)
			if err != nil {
				t.Fatal(err)
			}
			if round > 0 { // the first warms up
				times[kind] = append(times[kind], f.CPU)
			}
		}
	}
	var all []capacity.Compute
	for _, kind := range kinds {
		all = append(all, capacity.Compute{Item: kind, CPU: median(times[kind], func(d time.Duration) time.Duration { return d })})
	}
	into(t, "costs", fmt.Sprintf("%s. Medians of %d rounds, 8 in flight. Load before %s, after %s.\n\n%s", paired.Machine(), *rounds, before, paired.Load(), capacity.CostTable(all)))
}

// TestScale simulates deployments on AWS, with the CPU time of the services and the leader of a stream as measured in the
// same run.
func TestScale(t *testing.T) {
	before := paired.Load()
	c := measureCosts(t)
	var b strings.Builder
	fmt.Fprintf(&b, "%s. Load before %s, after the measurement %s. Measured: CPU of ingest %.2f ms and of the analyzer %.2f ms per file, and of a NATS server %.0f µs to store an event and %.0f µs to deliver and remove it.\n\n",
		paired.Machine(), before, paired.Load(), c.Accept.Seconds()*1e3, c.Process.Seconds()*1e3, c.Leader.Publish.Seconds()*1e6, (c.Leader.Pull+c.Leader.Ack).Seconds()*1e6)
	b.WriteString("|simulated load|ingest, analyzer processes|completed/s|refused|p50, p99 to 202|p50, p99 to COMPLETED|most queued|leader|CPU ingest, analyzer|requests of workers refused, messages that waited for unsettled ones|\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, s := range Scenarios(c) {
		began := time.Now()
		var r Result
		virtual(t, func(t *testing.T) {
			var err error
			if r, err = open(s.Model, s.Load); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		})
		t.Logf("%s took %s", s.Name, time.Since(began))
		t.Logf("%s: refused %v, %d waits for unsettled messages, %d requests refused by consumers, %d messages by the leader, %.0f write units/s", s.Name, r.Refused, r.Full, r.Refusals, r.Rejected, r.Units)
		b.WriteString(r.rows(s))
	}
	into(t, "scale", b.String())
}

// measureCosts measures the inputs of the scenarios.
func measureCosts(t *testing.T) Costs {
	t.Helper()
	node, err := pipeline.StartServices(filepath.Join(t.TempDir(), "services"))
	if err != nil {
		t.Fatal(err)
	}
	defer node.Stop()
	var all []pipeline.Figures
	for round := range *rounds + 1 {
		f, err := node.Load(t.Context(), capacity.TextForm, 8, *length)
		if err != nil {
			t.Fatal(err)
		}
		if round > 0 { // the first warms up
			all = append(all, f)
		}
	}
	of := func(role string) time.Duration {
		return median(all, func(f pipeline.Figures) time.Duration { return f.Roles[role] })
	}
	return Costs{Accept: of("ingest"), Process: of("analyzer"), Leader: measureLeader(t, 50_000)}
}

// rows returns the rows of a table of results, in Markdown: one for all owners, or one each for the small owners and the
// large one.
func (r Result) rows(s Scenario) string {
	refused := 0
	for _, n := range r.Refused {
		refused += n
	}
	cells := float64(max(s.Cells, 1))
	times := func(of [2][]float64, i int) string {
		return fmt.Sprintf("%.2f, %.2f s", percentile(of[i], .5), percentile(of[i], .99))
	}
	text := fmt.Sprintf("|%s|%.0f, %.0f|**%.0f**|%.1f %%|%s|%s|%.0f|%.0f %%|%.0f %%, %.0f %%|%.0f, %.0f|\n", s.Name, cells*float64(s.Model.Ingests), cells*float64(s.Model.Analyzers),
		cells*r.Completed, 100*float64(refused)/float64(max(r.Sent, 1)), times(r.Small, 0), times(r.Small, 1), cells*float64(r.Backlog), 100*min(r.Leader, 1), 100*r.Ingest, 100*r.Analyzer,
		cells*float64(r.Refusals), cells*float64(r.Full))
	if s.Load.Large > 0 {
		text += fmt.Sprintf("|– the large owner||||%s|%s|||||\n", times(r.Large, 0), times(r.Large, 1))
	}
	return text
}
