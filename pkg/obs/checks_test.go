package obs_test

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assay-project/assay/pkg/obs"
)

func TestChecksAreExported(t *testing.T) {
	var h obs.Health
	h.Add("nats", func(context.Context) error { return nil })
	h.Add("s3", func(context.Context) error { return errors.New("no such bucket") })
	registry := prometheus.NewRegistry()
	registry.MustRegister(h.Collector())
	families, err := registry.Gather()
	if err != nil || len(families) != 1 || families[0].GetName() != "assay_ready" {
		t.Fatalf("got the metrics %v, error %v, want assay_ready only", families, err)
	}
	got := map[string]float64{}
	for _, metric := range families[0].GetMetric() {
		got[metric.GetLabel()[0].GetValue()] = metric.GetGauge().GetValue()
	}
	if want := map[string]float64{"nats": 1, "s3": 0}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
