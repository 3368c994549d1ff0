package overload

import (
	"flag"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/assay/test/fault/ledger"
)

var (
	overloadMinutes = flag.Float64("overload.minutes", 0, "minimum duration of the overload; below 30 s, times are not compared with their limits")
	// Limits of queued work: one owner cannot fill the stream, several can.
	ownerBound = flag.Int("overload.work", 60, "maximum number of queued items of an owner; the stream holds five times as many")
)

const (
	// slowness is the bucket's response time for the analyzer, which processes one
	// item of each area at a time. So it processes at most ten of each per second.
	slowness = 100 * time.Millisecond
	// floodPause is the time between the uploads of a flood. Every second one is
	// a feed item, so the flood is ten times the analyzer's rate in each area.
	floodPause  = slowness / 20
	crowd       = 8 // owners
	quietOwners = 3
	quietPause  = time.Second
)

// Limits under overload.
const (
	// mostOvertaken is how many items of others may be processed while one of a quiet
	// owner waits during one flood; in order of arrival it would be ownerBound. The first
	// priority gets half of the deliveries; it has the items of the quiet owners and the
	// first eight of the flood.
	mostOvertaken = 40
	mostMedian    = 4.0  // of the time to accept an upload
	mostP99       = 8.0  // of the same
	mostMemory    = 1.5  // of a service's peak after a tenth of the overload
	leastFactor   = 10.0 // of offered to processed work
	leastFairness = 3.0  // of the flooding owner's median wait to the 99th percentile of quiet owners
)

// TestOverloadKeepsThePromises: ingest is offered ten times the work that the analyzer can do.
// It responds with 429 to the flooding owner and with 503 when the stream is full, and its
// latency and memory stay within limits. Quiet owners are admitted and do not wait for the
// flood. In the end all accepted work is done, once, and rejected uploads leave nothing
// behind.
func TestOverloadKeepsThePromises(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t, fmt.Sprint("ASSAY_WORK_MAX_MESSAGES=", 5**ownerBound), fmt.Sprint("ASSAY_WORK_MAX_PER_OWNER=", *ownerBound),
		"ASSAY_SWEEP_EVERY=2s", "ASSAY_ANALYZER_PARALLEL=1", "ASSAY_LEASE=5s",
		"GOGC=100") // uncollected garbage counts too, so the collector runs often
	var delay atomic.Int64
	slowed := system.Intercept(t, c.S3, func(r *http.Request) {
		select {
		case <-time.After(time.Duration(delay.Load())):
		case <-r.Context().Done():
		}
	}, nil)
	ingest, query := c.Service(t, "ingest"), c.Service(t, "query")
	analyzer := c.Service(t, "analyzer", "ASSAY_S3_ENDPOINT="+slowed)
	c.Front(t, ingest, query)
	length := max(time.Duration(*overloadMinutes*float64(time.Minute)), 3*time.Second)

	o := newOverload(t, c.System, ingest.URL)
	for quiet := range quietOwners {
		o.quiet(quiet)
	}
	o.phase(calm)
	o.await(length/4, func() error { return o.accepted(calm, quietOwners*10) })

	delay.Store(int64(slowness))
	memory := o.watchMemory(map[string]*system.Service{"ingest": ingest, "query": query, "analyzer": analyzer})
	began := o.phase(flooded)
	o.flood(1)
	o.await(length/2, func() error { return o.enough(flooded, http.StatusTooManyRequests) })
	o.phase(crowded)
	o.flood(crowd)
	o.await(length/2, func() error { return o.enough(crowded, http.StatusServiceUnavailable) })
	ended := o.phase(over)
	peaks := memory(began.Add(ended.Sub(began) / 10))

	delay.Store(0)
	o.end()
	auditor, err := audit.Open(t.Context(), c.Auditing())
	if err != nil {
		t.Fatal(err)
	}
	defer auditor.Close()
	report, err := auditor.Audit(t.Context(), o.promises, 3*system.Soon)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(report)
	if !report.Kept() {
		t.Error("not all promises were kept")
	}
	measured := o.measure(report, began, ended)
	for service, peak := range peaks {
		t.Logf("%s: %.0f MiB after a tenth, %.0f MiB at the end; collected at %.0f and %.0f MiB", service, peak.early, peak.late, peak.earlyHeap, peak.lateHeap)
		measured.Memory = max(measured.Memory, peak.late/peak.early)
	}
	t.Logf("%+v", measured)
	if *overloadMinutes >= 0.5 {
		o.judge(measured)
	}
	err = ledger.Enter(ledger.Run{
		Fault: "overload: ten times the analyzer's capacity, from one owner, then from many", Runs: 1, Overload: &measured,
		Means: "The client received the 2xx of its upload: of the multipart request, of the `uploaded` call, or of the feed item.",
	}.Of(report))
	if err != nil {
		t.Error(err)
	}
}

// judge compares the measurements with the limits.
func (o *overload) judge(m ledger.Overload) {
	for what, bad := range map[string]bool{
		fmt.Sprintf("the offered work is %.1f times the work done, want %.0f", m.Factor, leastFactor):                              m.Factor < leastFactor,
		fmt.Sprintf("the median time to accept an upload rose by %.1f, want at most %.1f", m.Median, mostMedian):                   m.Median > mostMedian,
		fmt.Sprintf("the 99th percentile of the time to accept an upload rose by %.1f, want at most %.1f", m.P99, mostP99):         m.P99 > mostP99,
		fmt.Sprintf("the peak memory of a service rose by %.2f, want at most %.2f", m.Memory, mostMemory):                          m.Memory > mostMemory,
		fmt.Sprintf("quiet owners waited %s, the flooding one %s: want a ratio of at least %.0f", m.Quiet, m.Flood, leastFairness): m.Quiet.Seconds()*leastFairness > m.Flood.Seconds(),
	} {
		if bad {
			o.t.Error(what)
		}
	}
}
