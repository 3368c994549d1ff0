package alerting

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

func containsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// usualTail is the length of the end of a recording, in which the programs do what they continue to do. It is longer than
// the interval of 10 s at which query reads the state of the system.
const usualTail = 15 * time.Second

// values returns a series in the notation of promtool: the recorded samples, then n more intervals in which the programs
// continue to do what they did in the tail of the recording. Scrapes without the series write a stale marker, as
// Prometheus does.
func (r *recording) values(series string, n int) string {
	var b strings.Builder
	next := 0
	for _, now := range r.rounds {
		if now.at > next { // no scrape in these intervals
			b.WriteString("_x" + strconv.Itoa(now.at-next) + " ")
		}
		next = now.at + 1
		value, ok := now.values[series]
		if ok {
			b.WriteString(number(value) + " ")
		} else {
			b.WriteString("stale ")
		}
	}
	if n == 0 {
		return strings.TrimSpace(b.String())
	}
	last, ok := r.rounds[len(r.rounds)-1].values[series]
	if !ok {
		return strings.TrimSpace(b.String())
	}
	slope := r.slope(series)
	sign := "+"
	if slope < 0 {
		sign = ""
	}
	return b.String() + number(last+slope) + sign + number(slope) + "x" + strconv.Itoa(n-1)
}

// slope returns by how much a series continues to change in each interval:
//   - counters, and the parts of histograms, grow at their rate in the tail of the recording;
//   - times (_timestamp_seconds) that advanced in the tail advance with the time, others stay;
//   - ages (_seconds) that never decreased in the tail and are higher at its end grow at its rate, others stay;
//   - other gauges keep their value.
func (r *recording) slope(series string) float64 {
	last := r.rounds[len(r.rounds)-1]
	from := slices.IndexFunc(r.rounds, func(now round) bool { return time.Duration(last.at-now.at)*r.every <= r.tail })
	end := r.rounds[from:]
	first, ok := end[0].values[series]
	if !ok || len(end) < 2 {
		return 0
	}
	grown, intervals := last.values[series]-first, float64(last.at-end[0].at)
	name, _, _ := strings.Cut(series, "{")
	switch kind := r.types[r.family[series]]; {
	case kind == "counter" || kind == "histogram":
		return max(0, grown) / intervals // a process that was restarted counts from 0
	case grown <= 0:
		return 0
	case strings.HasSuffix(name, "_timestamp_seconds"):
		return r.every.Seconds()
	case strings.HasSuffix(name, "_seconds") && climbs(series, end):
		return grown / intervals
	}
	return 0
}

// climbs reports whether a series never decreases.
func climbs(series string, rounds []round) bool {
	for i := 1; i < len(rounds); i++ {
		if rounds[i].values[series] < rounds[i-1].values[series] {
			return false
		}
	}
	return true
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
