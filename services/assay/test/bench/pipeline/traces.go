package pipeline

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"

	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

// Traces returns the trial of goal T1: Assay that exports one trace in a hundred, and Assay that exports none. The receiver
// discards the spans. The programs run until stop is called.
func Traces(o Options) (trials []paired.Trial, stop func(), err error) {
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the exporter reports errors
	}))
	without, err := start(roleAssay, filepath.Join(o.Dir, "without"))
	if err != nil {
		receiver.Close()
		return nil, nil, err
	}
	with, err := start(roleAssay, filepath.Join(o.Dir, "with"), "OTEL_EXPORTER_OTLP_ENDPOINT="+receiver.URL,
		"OTEL_TRACES_SAMPLER=parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG=0.01")
	if err != nil {
		without.stop()
		receiver.Close()
		return nil, nil, err
	}
	side := func(name string, p *program) paired.Side {
		return paired.Side{Name: name, Run: func(ctx context.Context) (paired.Sample, error) {
			s, err := load(ctx, p, 32, o.Length)
			if err != nil {
				return nil, err
			}
			return paired.Sample{cpu: s.cpuPerFile(), turn: 1 / s.rate(), p50: s.completed(.5)}, nil
		}}
	}
	return []paired.Trial{{
			Title: "4 KB text, 32 in flight", Own: side("1 % of the traces", with), Rival: side("no traces", without),
			Goals: []paired.Goal{
				{ID: "T1", What: "files per CPU-second", Quantity: cpu, Must: .97},
				{ID: "T1", What: "files/s", Quantity: turn, Must: .97},
				{ID: "-", What: "p50 to COMPLETED", Quantity: p50, Direction: paired.AtMost},
			},
		}}, func() {
			with.stop()
			without.stop()
			receiver.Close()
		}, nil
}
