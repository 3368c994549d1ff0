package cmd

import (
	"testing"
	"time"
)

func TestRate(t *testing.T) {
	var r rate
	began := time.Now()
	for _, step := range []struct {
		at               time.Duration
		bytes, remaining int64
		want             string
	}{
		{0, 0, 100 << 20, ""},
		{500 * time.Millisecond, 5 << 20, 95 << 20, ""},
		{time.Second, 10 << 20, 90 << 20, ", 10.5 MB/s, 9s left"},
		{6 * time.Second, 10 << 20, 90 << 20, ""}, // the transfer stalls
		{7 * time.Second, 11 << 20, 75 << 20, ", 1.0 MB/s, 1m15s left"},
		{8 * time.Second, 0, 100 << 20, ""}, // a new attempt
		{9 * time.Second, 100, 100, ", 100 B/s, 1s left"},
	} {
		if got := r.shown(began.Add(step.at), step.bytes, step.remaining); got != step.want {
			t.Errorf("after %s: got %q, want %q", step.at, got, step.want)
		}
	}
}
