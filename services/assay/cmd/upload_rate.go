package cmd

import (
	"fmt"
	"time"
)

// rateWindow is the time over which a rate is measured. No rate is displayed before leastWindow.
const (
	rateWindow  = 5 * time.Second
	leastWindow = time.Second
)

// rate measures the transfer rate.
type rate struct{ samples []sample }

// sample is the number of bytes sent at a point in time.
type sample struct {
	at    time.Time
	bytes int64
}

// shown adds a sample and returns the rate and the remaining time, such as ", 12.0 MiB/s, 1m20s
// left", or "" while the rate is unknown.
func (r *rate) shown(at time.Time, bytes, remaining int64) string {
	if n := len(r.samples); n > 0 && bytes < r.samples[n-1].bytes {
		r.samples = nil // a new attempt
	}
	r.samples = append(r.samples, sample{at, bytes})
	for len(r.samples) > 1 && at.Sub(r.samples[0].at) > rateWindow {
		r.samples = r.samples[1:]
	}
	first := r.samples[0]
	took := at.Sub(first.at)
	if took < leastWindow || bytes <= first.bytes {
		return ""
	}
	speed := float64(bytes-first.bytes) / took.Seconds()
	left := time.Duration(float64(remaining) / speed * float64(time.Second))
	return fmt.Sprintf(", %s/s, %s left", sizeOf(int64(speed)), left.Round(time.Second))
}
