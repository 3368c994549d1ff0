package status

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/sweep"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// world is a service that observes one area on real engines.
type world struct {
	*bustest.World
	*Service
	reports  *sweep.Reports
	registry *prometheus.Registry
}

func open(t *testing.T) world {
	t.Helper()
	db, _ := tabletest.Start(t)
	cfg := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(cfg).Tables); err != nil {
		t.Fatal(err)
	}
	w := world{World: bustest.Open(t), reports: sweep.NewReports(platform.NewStore(db, cfg)), registry: prometheus.NewRegistry()}
	w.Service = New(Options{
		Bus: w.Bus, Reports: w.reports, Log: zerolog.Nop(), Registry: w.registry, Streams: []string{bus.StreamOutcomes},
		Areas: []Area{{"textfile", bus.Work{Stream: bustest.WorkStream, Subjects: "assay.file.uploaded.>"}}},
	})
	return w
}

// values returns the values of all gauges by name and label.
func (w world) values(t *testing.T) map[string]float64 {
	t.Helper()
	families, err := w.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, family := range families {
		for _, series := range family.GetMetric() {
			key := family.GetName()
			for _, label := range series.GetLabel() {
				key += " " + label.GetValue()
			}
			all[key] = series.GetGauge().GetValue()
		}
	}
	return all
}

const (
	readAt = "assay_status_read_timestamp_seconds"
	oldest = "assay_backlog_oldest_seconds textfile"
)

// check checks the values of all gauges, those that want does not contain for 0, except the time of the last reading, and the
// sizes of streams.
func (w world) check(t *testing.T, want map[string]float64) {
	t.Helper()
	all := w.values(t)
	if len(all) != 15 {
		t.Errorf("got %d series, want 15: %v", len(all), all)
	}
	for key, value := range all {
		sized := strings.HasPrefix(key, "assay_stream_") && !strings.HasPrefix(key, "assay_stream_messages")
		if key != readAt && key != oldest && !sized && value != want[key] {
			t.Errorf("%s: got %v, want %v", key, value, want[key])
		}
	}
}

// TestGaugesFollowTheSystem checks each gauge before and after a change, and that values that cannot be read stay, with the
// time of the last reading.
func TestGaugesFollowTheSystem(t *testing.T) {
	w := open(t)
	for key, value := range w.values(t) {
		if value != 0 {
			t.Errorf("before the first reading, %s: got %v, want 0", key, value)
		}
	}
	measure := func() {
		t.Helper()
		if err := w.measure(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	measure()
	w.check(t, nil)
	if age := time.Since(time.UnixMilli(int64(w.values(t)[readAt] * 1000))); age < -time.Second || age > time.Minute {
		t.Errorf("the gauges were read %s ago, want now", age)
	}

	for n := range 3 {
		w.Publish(t, bustest.Uploaded(fmt.Sprint(n)))
	}
	w.Publish(t, bustest.Completed("4"))
	at := time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC)
	err := w.reports.Add(t.Context(), "textfile", sweep.Run{At: at, Found: 5, Failed: 2, Error: "incomplete"}, nil)
	if err == nil {
		err = w.reports.Stop(t.Context(), "textfile", sweep.Stop{Walk: "objects", Found: "orphan_object"})
	}
	if err == nil {
		err = w.reports.Add(t.Context(), "other", sweep.Run{At: at, Found: 7}, nil) // of an area that is not observed
	}
	if err != nil {
		t.Fatal(err)
	}
	measure()
	want := map[string]float64{
		"assay_backlog_items textfile": 3, "assay_stream_messages " + bustest.WorkStream: 3, "assay_stream_messages " + bus.StreamOutcomes: 1,
		"assay_sweep_last_run_timestamp_seconds textfile": float64(at.Unix()), "assay_sweep_last_findings textfile": 5,
		"assay_sweep_last_failed textfile": 3, "assay_sweep_stops textfile": 1,
	}
	w.check(t, want)
	before := w.values(t)
	if age := before[oldest]; age < 0 || age > 60 {
		t.Errorf("the oldest work is %v s old, want less than 60 s", age)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := w.measure(stopped); err == nil {
		t.Error("reading with a context that is done: got no error, want one")
	}
	if after := w.values(t); !maps.Equal(before, after) {
		t.Errorf("after a reading that failed: got %v, want %v", after, before)
	}
}
