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
	held := system.Intercept(t, c.S3, system.Taps{Request: func(r *http.Request) {
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/files/") && !free.Load() {
			began <- struct{}{}
			<-r.Context().Done() // the analyzer was killed
		}
	}})
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

// problemsAreTraced: the trace of a file shows the finding of a sweep and the queued message, then the failed attempts with
// their errors and the dead letter. The newest errors contain the dead letter.
func problemsAreTraced(t *testing.T, start system.Starter) {
	c := start(t, system.NoSweep, "ASSAY_ATTEMPTS=2")
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	c.HoldNotices(t)
	api := c.Client(t, system.NewOwner())
	reserved := system.Reserve(t, api, "lost.txt", "text/plain", "one two two")
	if status, body := system.Put(t, reserved.Upload, "one two two", nil); status != http.StatusOK {
		t.Fatalf("put: %d %s, want 200", status, body)
	}
	system.AfterLease()
	c.Sweep(t)
	operator := operatorOf(t, c.System)
	v, err := operator.Trace(system.Within(t), reserved.FileID, "")
	if err != nil || len(v.Findings) != 1 || v.Findings[0].Found != "unnotified_upload" || !v.Findings[0].Repaired || len(v.Messages) != 1 || v.Messages[0].State != "queued" || v.State != client.Pending {
		t.Fatalf("the trace is %+v, %v; want the finding of the sweep and a queued message", v, err)
	}
	items, err := operator.StatusItems(system.Within(t))
	if err != nil || len(items.Areas[0].Oldest) != 1 || items.Areas[0].Oldest[0].ID != reserved.FileID || items.Areas[0].Oldest[0].State != "queued" {
		t.Errorf("the oldest items are %+v, %v; want the queued file", items, err)
	}
	c.S3Engine.Kill(t)
	c.Service(t, "analyzer")
	if file := system.Await(t, api, reserved.FileID); file.Status != client.Failed {
		t.Fatalf("without S3, the file is %s, want FAILED", system.JSON(file))
	}
	system.Eventually(t, func() error { // the end of the attempt is logged after the acknowledgement
		if v, err = operator.Trace(system.Within(t), reserved.FileID, ""); err == nil && (len(v.DeadLetters) != 1 || len(v.Attempts) != 1 || v.Attempts[0].Stored || len(v.Attempts[0].Attempts) != 2) {
			err = fmt.Errorf("the trace is %+v, want two attempts and a dead letter", v)
		}
		return err
	})
	letter, first, second := v.DeadLetters[0], v.Attempts[0].Attempts[0], v.Attempts[0].Attempts[1]
	if letter.Consumer != "analyzer-textfile" || letter.Attempts != 2 || letter.Reason == "" || letter.At.Before(letter.StoredAt) {
		t.Errorf("the dead letter is %+v, want one of analyzer-textfile after 2 attempts", letter)
	}
	if first.Outcome != "retry" || first.Reason == "" || second.Outcome != "given_up" || second.Reason == "" || second.Began.Before(first.Ended) {
		t.Errorf("the attempts are %+v and %+v, want a failed one and then the last, with their errors", first, second)
	}
	items, err = operator.StatusItems(system.Within(t))
	if err != nil || len(items.Errors) != 1 || items.Errors[0].Kind != "dead" || items.Errors[0].Sequence != letter.Sequence || items.Errors[0].Area != "textfile" || items.Areas[0].DeadLetters != 1 {
		t.Errorf("the last errors are %+v, %v; want the dead letter once", items, err)
	}
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
