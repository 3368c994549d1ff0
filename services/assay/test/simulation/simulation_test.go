package simulation

import (
	"math"
	"net/http"
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-project/assay/services/assay/test/bench/pipeline"
)

func TestMain(m *testing.M) {
	if status, played := pipeline.Play(); played {
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// virtual calls f in virtual time.
func virtual(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	// The pool of timers of the NATS client is global, and a timer belongs to the bubble that created it. A sync.Pool is
	// empty after two collections.
	runtime.GC()
	runtime.GC()
	synctest.Test(t, f)
}

// node is a model of one node with embedded engines.
func node() Model {
	return Model{
		Ingests: 1, Analyzers: 1, Shared: true, Processors: 2, Accept: 1500 * time.Microsecond, Process: 2 * time.Millisecond, Client: 300 * time.Microsecond,
		Sync: 300 * time.Microsecond, Leader: Leader{Publish: 300 * time.Microsecond},
		Parallel: 16, Streamed: 32, MaxMessages: 1_000_000, MaxPerOwner: 100_000,
	}
}

// aws is a model of one process of ingest and of the analyzer on AWS, which analyzes about 128 files/s.
func aws() Model {
	return Model{
		Ingests: 4, Analyzers: 1, Processors: 2, Accept: time.Millisecond, Process: time.Millisecond,
		Leader:      Leader{Publish: 50 * time.Microsecond, Pull: 20 * time.Microsecond, Ack: 20 * time.Microsecond, Read: 20 * time.Microsecond, Network: time.Millisecond},
		Transaction: awsTransaction, Put: awsObject, Get: awsObject,
		Parallel: 16, Streamed: 32, MaxMessages: 1_000_000, MaxPerOwner: 100_000,
	}
}

// near checks that a value is within 2 % of the wanted one.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.02*want {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

// TestOneFile checks that one file in flight takes the sum of the costs of the model: the CPU time, and a sync of each of
// the object, the three transactions and the two events.
func TestOneFile(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r, err := closed(node(), 1, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "the time to the response", percentile(r.Small[0], .5), 0.150e-3+1.5e-3+3*0.3e-3)
		near(t, "the time to the end", percentile(r.Small[1], .5), 0.3e-3+3.5e-3+6*0.3e-3)
	})
}

// TestManyFiles checks that many files in flight use all processors.
func TestManyFiles(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r, err := closed(node(), 32, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "the rate", r.Completed, 2/3.8e-3)
		near(t, "the used share of the processors", r.Ingest, 1)
	})
}

// TestPartitionLimitsOneOwner checks that the list of one owner, with 6 write units per file in one partition, limits the
// owner's files to 1000/6 per second, and not those of others.
func TestPartitionLimitsOneOwner(t *testing.T) {
	m := aws()
	m.Analyzers, m.Partition = 10, 1000
	virtual(t, func(t *testing.T) {
		r, err := open(m, Load{Rate: 400, Length: 5 * time.Second, Owners: 100})
		if err != nil {
			t.Fatal(err)
		}
		if p99 := percentile(r.Small[1], .99); p99 > 0.3 {
			t.Errorf("with 100 owners, the p99 to the end is %g s, want at most 0.3 s", p99)
		}
	})
	virtual(t, func(t *testing.T) {
		r, err := open(m, Load{Rate: 400, Length: 5 * time.Second, Owners: 100, Large: 0.75})
		if err != nil {
			t.Fatal(err)
		}
		if p50 := percentile(r.Large[1], .5); p50 < 1 {
			t.Errorf("with 300 files/s, the p50 of an owner to the end is %g s, want more than 1 s", p50)
		}
		if p99 := percentile(r.Small[1], .99); p99 > 1 {
			t.Errorf("beside a large owner, the p99 of the others to the end is %g s, want at most 1 s", p99)
		}
	})
}

// TestLargeOwnerWaits checks the fairness of the product: an owner that sends more than the analyzers process waits, and
// the others hardly do.
func TestLargeOwnerWaits(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r, err := open(aws(), Load{Rate: 200, Length: 20 * time.Second, Owners: 50, Large: 0.8})
		if err != nil {
			t.Fatal(err)
		}
		if p50 := percentile(r.Large[1], .5); p50 < 2 {
			t.Errorf("the p50 of the large owner is %g s, want at least 2 s: the load is above the capacity", p50)
		}
		if p99 := percentile(r.Small[1], .99); p99 > 1 {
			t.Errorf("the p99 of the small owners is %g s, want at most 1 s", p99)
		}
	})
}

// TestOverloadIsRefused checks the admission of the product: above the limit of queued work, ingest responds with 503, and
// everything that it accepted completes.
func TestOverloadIsRefused(t *testing.T) {
	m := aws()
	m.MaxMessages = 300
	virtual(t, func(t *testing.T) {
		r, err := open(m, Load{Rate: 600, Length: 5 * time.Second, Owners: 1000})
		if err != nil {
			t.Fatal(err)
		}
		refused := r.Refused[http.StatusServiceUnavailable]
		if refused == 0 || r.Accepted+refused != r.Sent || len(r.Small[1]) != r.Accepted {
			t.Errorf("of %d uploads, %d were accepted, %d completed and %v refused; want some 503, and all accepted to complete", r.Sent, r.Accepted, len(r.Small[1]), r.Refused)
		}
		// Each process of ingest counts the work of the others at most a second late.
		if most := 300 + 600; r.Backlog > most {
			t.Errorf("%d messages were queued, want at most %d", r.Backlog, most)
		}
	})
}
