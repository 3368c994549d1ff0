package recovery

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// crashesAreTraced: the analyzer is killed twice while it processes the same file. `assay trace` shows both attempts and the
// third, which completes, with times.
func crashesAreTraced(t *testing.T, start system.Starter) {
	c := start(t, system.NoSweep)
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	api := c.Client(t, system.NewOwner())
	began := make(chan struct{}, 1)
	var free atomic.Bool // whether the analyzer may read the file
	held := system.Intercept(t, c.S3, func(r *http.Request) {
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/files/") && !free.Load() {
			began <- struct{}{}
			<-r.Context().Done() // the analyzer was killed
		}
	}, nil)
	var file client.File
	for crash := range 2 {
		analyzer := c.Service(t, "analyzer", "ASSAY_S3_ENDPOINT="+held)
		if crash == 0 {
			file = system.UploadMultipart(t, api, "crash.txt", "text/plain", []byte("one two two"))
		}
		select {
		case <-began:
		case <-system.Within(t).Done():
			t.Fatalf("attempt %d has not begun", crash+1)
		}
		analyzer.Kill(t)
	}
	free.Store(true)
	c.Service(t, "analyzer", "ASSAY_S3_ENDPOINT="+held)
	system.CheckResult(t, system.Await(t, api, file.FileID), system.Count("one two two"))
	checkCrashes(t, c.System, file.FileID, "analyzer-textfile")
}

// checkCrashes checks the trace of an item whose first two attempts by a consumer crashed.
func checkCrashes(t *testing.T, s system.System, id, consumer string) {
	t.Helper()
	var v client.Trace
	system.Eventually(t, func() error { // the end of the attempt is logged after the acknowledgement
		got, err := operatorOf(t, s).Trace(system.Within(t), id, "")
		if v = got; err == nil && (len(v.Attempts) == 0 || len(v.Attempts[0].Attempts) != 3 || v.Attempts[0].Attempts[2].Outcome == "unknown") {
			err = fmt.Errorf("the trace is %+v, want three attempts of which the last has ended", v)
		}
		return err
	})
	message := v.Attempts[0]
	for i, a := range message.Attempts {
		var problem error
		switch {
		case a.Number != i+1:
			problem = fmt.Errorf("attempt %d has the number %d", i+1, a.Number)
		case i < 2 && (a.Outcome != "lost" || !a.EndedBefore.After(message.StoredAt) || !a.EndedBefore.Equal(message.Attempts[i+1].Began)):
			problem = fmt.Errorf("attempt %d is %+v, want it lost before the next one began", i+1, a)
		case i > 0 && (!a.Recorded || a.Worker == "" || !a.Began.After(message.StoredAt)):
			problem = fmt.Errorf("attempt %d is %+v, want its worker and the time of its beginning", i+1, a)
		case i == 2 && (a.Outcome != "done" || a.Ended.Before(a.Began) || a.Ended.Sub(a.Began) > system.Soon):
			problem = fmt.Errorf("attempt 3 is %+v, want it done, with the time of its end", a)
		}
		if problem != nil {
			t.Error(problem)
		}
	}
	if message.Begun != 3 || message.Consumer != consumer || message.Stored || len(v.Outcomes) != 1 || v.Outcomes[0].End != "completed" {
		t.Errorf("the trace is %+v, want 3 attempts of %s and one outcome", v, consumer)
	}
	printed := system.Launch(t, "assay", nil, "trace", id, "--operator", s.Operator)
	if status := printed.End(t); status != 0 {
		t.Fatalf("assay trace: exit status %d, want 0: %s", status, printed.Output)
	}
	for _, want := range []string{
		"attempt 1 of " + consumer, "attempt 2 of " + consumer + " began (", "ended without a result before " + local(message.Attempts[1].EndedBefore),
		"attempt 3 of " + consumer + " ended: done", "outcome completed",
	} {
		if !strings.Contains(printed.Written(), want) {
			t.Errorf("assay trace does not print %q:\n%s", want, printed.Output)
		}
	}
}

// local formats a time as the command does.
func local(at time.Time) string { return at.Local().Format("2006-01-02 15:04:05.000") }

// operatorOf returns a client of the operator address.
func operatorOf(t *testing.T, s system.System) *client.Client {
	t.Helper()
	return system.System{HTTP: s.Operator}.Client(t, "")
}
