package overload

import (
	"bufio"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/assay/test/fault/ledger"
)

// measure summarizes the clients' results and the processing times of items.
func (o *overload) measure(report audit.Report, began, ended time.Time) ledger.Overload {
	m := ledger.Overload{}
	var tries, accepted [2]int // of the flooding owners, and of the quiet owners at the same time
	took := map[string][phases][]time.Duration{}
	for _, t := range o.tries {
		switch {
		case t.phase == calm:
		case t.status == http.StatusOK:
			m.Let++
		case t.status == http.StatusTooManyRequests:
			m.Owner++
		default:
			m.Stream++
		}
		if t.phase != calm {
			m.Offered++
		}
		if t.phase == crowded && t.area == textfile.Name {
			who := 0
			if t.quiet {
				who = 1
			}
			tries[who]++
			if t.status == http.StatusOK {
				accepted[who]++
			}
		}
		if t.status == http.StatusOK {
			of := took[t.area]
			of[t.phase] = append(of[t.phase], t.took)
			took[t.area] = of
		}
	}
	for area, of := range took {
		for phase := range over {
			o.t.Logf("%s, phase %d: %d accepted, median %s, p99 %s", area, phase, len(of[phase]), percentile(of[phase], 50), percentile(of[phase], 99))
		}
		loaded := slices.Concat(of[flooded], of[crowded])
		m.Median = max(m.Median, percentile(loaded, 50).Seconds()/percentile(of[calm], 50).Seconds())
		m.P99 = max(m.P99, percentile(loaded, 99).Seconds()/percentile(of[calm], 99).Seconds())
	}
	o.t.Logf("during the flood, %d of %d uploads of quiet owners were accepted, and %d of %d of flooding owners", accepted[1], tries[1], accepted[0], tries[0])
	done := 0
	for _, at := range report.Ended {
		if at.After(began) && at.Before(ended) {
			done++
		}
	}
	m.Factor = float64(m.Offered) / float64(max(done, 1))
	o.fairness(report, &m)
	return m
}

// fairness compares the waiting times of the items of quiet owners and of the flood, and counts how often an item was
// overtaken.
func (o *overload) fairness(report audit.Report, m *ledger.Overload) {
	ends := map[string][]time.Time{} // end times by area
	for id, of := range o.who {
		ends[of.area] = append(ends[of.area], report.Ended[id])
	}
	var waits [2][phases][]time.Duration // for the flood, and for quiet owners
	var overtaken [phases]int
	for _, p := range o.promises {
		of, accepted := o.who[p.ID]
		if !accepted {
			continue
		}
		end := report.Ended[p.ID]
		if !of.quiet {
			waits[0][of.phase] = append(waits[0][of.phase], end.Sub(p.At))
			continue
		}
		waits[1][of.phase] = append(waits[1][of.phase], end.Sub(p.At))
		n := 0
		for _, other := range ends[of.area] {
			if other.After(p.At) && other.Before(end) {
				n++
			}
		}
		overtaken[of.phase] = max(overtaken[of.phase], n)
	}
	for phase := range over {
		o.t.Logf("phase %d: quiet owners waited %s (median), %s (p99) and were overtaken at most %d times; flooding owners waited %s (median)", phase,
			percentile(waits[1][phase], 50), percentile(waits[1][phase], 99), overtaken[phase], percentile(waits[0][phase], 50))
	}
	m.Quiet, m.Flood = percentile(waits[1][flooded], 99), percentile(waits[0][flooded], 50)
	if overtaken[flooded] > maxOvertaken {
		o.t.Errorf("%d items were processed while an item of a quiet owner waited, want at most %d", overtaken[flooded], maxOvertaken)
	}
}

// percentile sorts durations and returns a percentile of them: at least 1 µs, so that it can be a divisor, or 0 if there
// are none.
func percentile(of []time.Duration, percent int) time.Duration {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return max(of[(len(of)*percent-1)/100], time.Microsecond)
}

// peak is the peak memory of a service in MiB, until an early time and until the end: resident memory, and the heap size
// that triggers the garbage collector.
type peak struct{ early, late, earlyHeap, lateHeap float64 }

// memoryEvery is the interval of memory measurements.
const memoryEvery = 500 * time.Millisecond

// watchMemory measures the memory of services until the returned function is called, which returns their peaks.
func (o *overload) watchMemory(services map[string]*system.Service) (peaks func(early time.Time) map[string]peak) {
	type look struct {
		at             time.Time
		resident, heap float64
	}
	looks := map[string][]look{}
	ctx, cancel := context.WithCancel(o.t.Context())
	var watching sync.WaitGroup
	watching.Go(func() {
		for ctx.Err() == nil {
			for name, s := range services {
				if found := o.metrics(ctx, s.Operator); found["process_resident_memory_bytes"] > 0 {
					looks[name] = append(looks[name], look{time.Now(), found["process_resident_memory_bytes"] / (1 << 20), found["go_memstats_next_gc_bytes"] / (1 << 20)})
				}
			}
			select {
			case <-ctx.Done():
			case <-time.After(memoryEvery):
			}
		}
	})
	return func(early time.Time) map[string]peak {
		cancel()
		watching.Wait()
		all := map[string]peak{}
		for name, of := range looks {
			var p peak
			for i, l := range of {
				if i == 0 || l.at.Before(early) {
					p.early, p.earlyHeap = max(p.early, l.resident), max(p.earlyHeap, l.heap)
				}
				p.late, p.lateHeap = max(p.late, l.resident), max(p.lateHeap, l.heap)
			}
			all[name] = p
		}
		return all
	}
}

// metrics returns the unlabeled metrics of a service, or none if it does not respond.
func (o *overload) metrics(ctx context.Context, url string) map[string]float64 {
	found := map[string]float64{}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/metrics", nil)
	if err != nil {
		panic(err) // the URL is valid
	}
	resp, err := o.http.Do(req)
	if err != nil {
		return found
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		name, text, _ := strings.Cut(lines.Text(), " ")
		if value, err := strconv.ParseFloat(text, 64); err == nil {
			found[name] = value
		}
	}
	return found
}
