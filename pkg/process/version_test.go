package process

import (
	"runtime"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestBuildAsText(t *testing.T) {
	commit := strings.Repeat("0123456789", 4)
	for want, b := range map[string]Build{
		"devel, go1.26 linux/amd64":                                      {Version: "devel", Go: "go1.26", Platform: "linux/amd64"},
		"v1, commit 012345678901, go1.26 linux/amd64":                    {Version: "v1", Commit: commit, Go: "go1.26", Platform: "linux/amd64"},
		"v1, commit 012345678901 of DATE with changes, go1.26 linux/arm": {Version: "v1", Commit: commit, Date: "DATE", Modified: true, Go: "go1.26", Platform: "linux/arm"},
	} {
		if got := b.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestBuildIsAMetric checks the gauge that dashboards join with other metrics.
func TestBuildIsAMetric(t *testing.T) {
	registry := prometheus.NewRegistry()
	registerBuild(registry)
	families, err := registry.Gather()
	if err != nil || len(families) != 1 || families[0].GetName() != "assay_build_info" || families[0].GetMetric()[0].GetGauge().GetValue() != 1 {
		t.Fatalf("got %v, error %v, want assay_build_info with the value 1", families, err)
	}
	got := map[string]string{}
	for _, label := range families[0].GetMetric()[0].GetLabel() {
		got[label.GetName()] = label.GetValue()
	}
	if got["version"] != Version() || got["go"] != runtime.Version() || len(got) != 3 {
		t.Errorf("got the labels %v, want the version %s, the Go version %s and the commit", got, Version(), runtime.Version())
	}
}
