package alerting

import (
	"fmt"
	"strconv"
	"strings"
)

// sample is the value of a series at one scrape.
type sample struct {
	family string // name of the metric without _bucket, _count or _sum
	series string // name and labels in the text format, which is also the notation of promtool
	value  float64
}

// exposition is the content of /metrics.
type exposition struct {
	types   map[string]string // by family: counter, gauge, histogram, summary or untyped
	samples []sample
}

// parse reads the text format of Prometheus, and adds labels such as job="x" to each series.
func parse(text, labels string) (exposition, error) {
	e := exposition{types: map[string]string{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if typed, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, kind, _ := strings.Cut(typed, " ")
			e.types[name] = kind
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		value, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			return exposition{}, fmt.Errorf("%q: %w", line, err)
		}
		name, own, found := strings.Cut(line[:at], "{")
		all := labels
		if found {
			all = strings.TrimSuffix(own, "}") + "," + labels
		}
		e.samples = append(e.samples, sample{e.family(name), name + "{" + all + "}", value})
	}
	return e, nil
}

// family returns the name of the family that contains the series of a name.
func (e exposition) family(name string) string {
	for _, suffix := range []string{"_bucket", "_count", "_sum"} {
		if base, ok := strings.CutSuffix(name, suffix); ok && (e.types[base] == "histogram" || e.types[base] == "summary") {
			return base
		}
	}
	return name
}
