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
	overloadMinutes = flag.Float64("overload.minutes", 0, "minimum duration of the overload in minutes; below 0.5, measurements are not compared with their limits")
	// One owner cannot fill the stream, but several can.
	ownerBound = flag.Int("overload.work", 60, "maximum number of queued items of an owner; the limit of the stream is five times as high")
)

const (
	// slowness is the delay of the bucket's responses to the analyzer, which processes one item of each area at a time:
	// at most ten of each area per second.
	slowness = 100 * time.Millisecond
	// floodPause is the time between the uploads of a flood. Every second upload is a feed item, so the flood is ten
	// times the analyzer's rate in each area.
	floodPause  = slowness / 20
	crowd       = 8 // owners
	quietOwners = 3
	quietPause  = time.Second
)

// Limits under overload.
const (
	// maxOvertaken is the maximum number of other items that are processed while an item of a quiet owner waits during
	// the flood of one owner. If items were processed in order of arrival, it would be ownerBound. Half of the deliveries
	// are of the first priority, which contains the items of the quiet owners and the first eight of the flood.
	maxOvertaken = 40
	maxMedian    = 4.0  // ratio of the median time to accept an upload during the overload to the median before it
	maxP99       = 8.0  // the same ratio for the 99th percentile
	maxMemory    = 1.5  // ratio of a service's peak memory to its peak after a tenth of the overload
	minFactor    = 10.0 // ratio of offered to processed work
	minFairness  = 3.0  // ratio of the flooding owner's median wait to the 99th percentile of quiet owners
)

// TestOverloadKeepsThePromises: ingest is offered ten times the work that the analyzer can do. It responds with 429 to
// the flooding owner and with 503 when the stream is full, and its latency and memory stay within limits. Quiet owners
// are admitted and do not wait for the flood. In the end, all accepted work is done exactly once, and rejected uploads
// leave nothing behind.
func TestOverloadKeepsThePromises(t *testing.T) {
	if testing.Short() {
		t.Skip("make overload runs it")
	}
	t.Parallel()
	c := system.StartCluster(t, fmt.Sprint("ASSAY_WORK_MAX_MESSAGES=", 5**ownerBound), fmt.Sprint("ASSAY_WORK_MAX_PER_OWNER=", *ownerBound),
		"ASSAY_SWEEP_EVERY=2s", "ASSAY_ANALYZER_PARALLEL=1", "ASSAY_LEASE=5s",
		"GOGC=100") // the collector runs often, because uncollected garbage counts as memory
	var delay atomic.Int64
	slowed := system.Intercept(t, c.S3, system.Taps{Request: func(r *http.Request) {
		select {
		case <-time.After(time.Duration(delay.Load())):
		case <-r.Context().Done():
		}
	}})
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
		t.Error("some promises were not kept, want all of them kept")
	}
	measured := o.measure(report, began, ended)
	for service, peak := range peaks {
		t.Logf("%s: %.0f MiB after a tenth, %.0f MiB at the end; garbage collected at %.0f and %.0f MiB", service, peak.early, peak.late, peak.earlyHeap, peak.lateHeap)
		measured.Memory = max(measured.Memory, peak.late/peak.early)
	}
	t.Logf("%+v", measured)
	if *overloadMinutes >= 0.5 {
		o.judge(measured)
	}
	err = ledger.Enter(ledger.Run{
		Fault: "overload: ten times the analyzer's capacity, from one owner, then from many", Runs: 1, Overload: &measured,
		Means: "The client received the 2xx of its request: a multipart upload, an `uploaded` call, or a POST of a feed item.",
	}.Of(report))
	if err != nil {
		t.Error(err)
	}
}

// judge compares the measurements with the limits.
func (o *overload) judge(m ledger.Overload) {
	for what, bad := range map[string]bool{
		fmt.Sprintf("the offered work is %.1f times the work done, want at least %.0f", m.Factor, minFactor):                          m.Factor < minFactor,
		fmt.Sprintf("the median time to accept an upload rose by a factor of %.1f, want at most %.1f", m.Median, maxMedian):           m.Median > maxMedian,
		fmt.Sprintf("the 99th percentile of the time to accept an upload rose by a factor of %.1f, want at most %.1f", m.P99, maxP99): m.P99 > maxP99,
		fmt.Sprintf("the peak memory of a service rose by a factor of %.2f, want at most %.2f", m.Memory, maxMemory):                  m.Memory > maxMemory,
		fmt.Sprintf("quiet owners waited %s, the flooding owner %s, want a ratio of at least %.0f", m.Quiet, m.Flood, minFairness):    m.Quiet.Seconds()*minFairness > m.Flood.Seconds(),
	} {
		if bad {
			o.t.Error(what)
		}
	}
}
