package photojob

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/policy"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/work"
)

// price is the maximum cost of each call in the tests.
const price = 101_000

// calling returns an attempt with a recorded first call to a paid provider.
func calling(t *testing.T, paidCalls int) *editing {
	t.Helper()
	e := claimed(t, paidCalls)
	e.begin(t)
	return e
}

// claimed returns an attempt at a job of the provider gemini that has not been begun.
func claimed(t *testing.T, paidCalls int) *editing {
	t.Helper()
	db, _ := tabletest.Start(t)
	names := photojob.Config{Env: "dev"}
	if err := table.EnsureAll(t.Context(), db, photojob.Tables(names)); err != nil {
		t.Fatal(err)
	}
	store := photojob.NewStore(db, names)
	id, err := photojob.NewID("ann", "")
	if err != nil {
		t.Fatal(err)
	}
	terms := photojob.Terms{FileName: "a.jpg", ContentType: "image/jpeg", Size: 4096, Options: photojob.Options{Provider: photojob.Gemini}}
	job, err := store.Create(t.Context(), terms.Job(id, "ann"))
	if err == nil {
		job, err = store.Claim(t.Context(), job)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &editing{steps: steps{&Area{cfg: Config{PaidCalls: paidCalls}, store: store}}, job: job}
}

// begin records the next call.
func (e *editing) begin(t *testing.T) {
	t.Helper()
	intent := photojob.Call{Step: photojob.StepEdit, Provider: photojob.Gemini, Model: "m", At: time.Now().UnixMilli(), Until: time.Now().Add(time.Minute).UnixMilli(), CostMicros: price}
	if err := e.record(t.Context(), e.job, intent); err != nil {
		t.Fatal(err)
	}
}

// fails makes the last call fail with the given error, and returns the error of the step.
func (e *editing) fails(t *testing.T, cause error) error {
	t.Helper()
	call, called := e.job.Calls.Last()
	if !called || call.Outcome != photojob.CallSent {
		t.Fatalf("got last call %+v, want a sent one", call)
	}
	return e.failed(t.Context(), call, cause)
}

// lastStored returns the stored job and its last call.
func (e *editing) lastStored(t *testing.T) (photojob.Job, photojob.Call) {
	t.Helper()
	job, err := e.store.Get(t.Context(), e.job.JobID)
	if err != nil {
		t.Fatal(err)
	}
	call, _ := job.Calls.Last()
	return job, call
}

// TestFailedCalls checks the ledger entry and the next action for each class of error.
func TestFailedCalls(t *testing.T) {
	const later, final, again = "later", "permanent", "another attempt"
	why := fmt.Errorf("%w: %w", reason.ProviderUnreachable, errors.New("dial tcp"))
	for name, test := range map[string]struct {
		class   provider.Class
		billed  provider.Billed
		paid    int
		outcome string
		cost    int64
		then    string
	}{
		"limited":                  {provider.Defer, provider.NotBilled, 2, photojob.CallRefused, 0, later},
		"access denied":            {provider.Suspend, provider.NotBilled, 2, photojob.CallRefused, 0, later},
		"unavailable":              {provider.Retry, provider.NotBilled, 2, photojob.CallError, 0, later},
		"invalid response, billed": {provider.Retry, provider.IsBilled, 2, photojob.CallError, price, later},
		"timeout":                  {provider.Unknown, provider.MaybeBilled, 2, photojob.CallUnknown, price, later},
		"timeout, at most once":    {provider.Unknown, provider.MaybeBilled, 1, photojob.CallUnknown, price, final},
		"content policy":           {provider.Permanent, provider.NotBilled, 2, photojob.CallError, 0, final},
		"content policy, billed":   {provider.Permanent, provider.IsBilled, 2, photojob.CallError, price, final},
		"internal error":           {provider.Internal, provider.NotBilled, 2, photojob.CallError, 0, again},
	} {
		t.Run(name, func(t *testing.T) {
			e := calling(t, test.paid)
			err := e.fails(t, &provider.Error{Class: test.class, Code: "A_CODE", Billed: test.billed, HTTP: 599, RequestID: "r", Err: why})
			got := again
			if _, delayed := bus.Delay(err); delayed {
				got = later
			} else if bus.IsPermanent(err) {
				got = final
			}
			if got != test.then || !errors.Is(err, why) {
				t.Errorf("got %s: %v, want %s", got, err, test.then)
			}
			job, call := e.lastStored(t)
			if call.Outcome != test.outcome || call.CostMicros != test.cost || call.HTTP != 599 || call.RequestID != "r" {
				t.Errorf("got last call %+v, want outcome %s, cost %d, status 599 and request id r", call, test.outcome, test.cost)
			}
			if job.Status != photojob.Editing || job.Error == nil || job.Error.Code != "A_CODE" || job.Error.Message != reason.Of(why) {
				t.Errorf("got status %s, error %+v, want %s, A_CODE and %q", job.Status, job.Error, photojob.Editing, why)
			}
		})
	}
}

// TestThirdErrorEndsJob checks that the third error of a step ends the job, regardless of
// requested delays.
func TestThirdErrorEndsJob(t *testing.T) {
	e := calling(t, 2)
	unavailable := &provider.Error{Class: provider.Retry, Code: provider.Unavailable, Billed: provider.NotBilled, RetryAfter: time.Hour, Err: errors.New("503")}
	for range callTries - 1 {
		if d, ok := bus.Delay(e.fails(t, unavailable)); !ok || d < time.Hour {
			t.Errorf("got delay %s, %t, want at least the requested %s", d, ok, unavailable.RetryAfter)
		}
		e.begin(t)
	}
	err := e.fails(t, unavailable)
	if coded, ok := errors.AsType[*codedError](err); !ok || coded.code != provider.Unavailable || !bus.IsPermanent(err) {
		t.Errorf("after %d errors: got %v, want a permanent error with code %s", callTries, err, provider.Unavailable)
	}
	if job, _ := e.lastStored(t); job.Error.RetryCount != callTries-1 {
		t.Errorf("got error %+v, want retry count %d", job.Error, callTries-1)
	}
	failed, failure := e.Fail(t.Context(), e.job, work.Failure{Reason: reason.Of(err), Cause: err, Attempts: 1})
	if failure != nil || failed.Error.RetryCount != callTries-1 {
		t.Errorf("got error %+v, %v, want retry count %d", failed.Error, failure, callTries-1)
	}
	if attempts := attemptsOf(1, err); attempts != callTries {
		t.Errorf("got %d attempts in the dead letter, want %d", attempts, callTries)
	}
}

// TestFailureNamesItsProvider checks that the provider of a FAILED job is the one whose edit failed, and that a job that
// waits, or whose description failed, still names the one that was requested.
func TestFailureNamesItsProvider(t *testing.T) {
	for _, test := range []struct {
		step  string
		class provider.Class
		want  string
	}{
		{photojob.StepEdit, provider.Permanent, photojob.Seedream},
		{photojob.StepEdit, provider.Retry, photojob.Gemini},
		{photojob.StepEdit, provider.Suspend, photojob.Gemini},
		{photojob.StepAnalyze, provider.Permanent, photojob.Gemini},
	} {
		e := claimed(t, 2)
		intent := photojob.Call{Step: test.step, Provider: photojob.Seedream, At: 1, Until: time.Now().Add(time.Minute).UnixMilli(), CostMicros: price}
		if err := e.record(t.Context(), e.job, intent); err != nil {
			t.Fatal(err)
		}
		if err := e.fails(t, &provider.Error{Class: test.class, Code: provider.Rejected, Billed: provider.NotBilled, Err: errors.New("no")}); err == nil {
			t.Error("got no error, want one")
		}
		if job, _ := e.lastStored(t); job.Provider != test.want || job.Route() != photojob.Gemini {
			t.Errorf("%s, %s: got provider %s and route %s, want %s and %s", test.step, test.class, job.Provider, job.Route(), test.want, photojob.Gemini)
		}
	}
}

// TestOverdueJobsNameTheCause checks that a job that waited for its provider in vain states which provider, and why.
func TestOverdueJobsNameTheCause(t *testing.T) {
	e := calling(t, 2)
	e.catalog = newTestCatalog(t, nil)
	late := func(want string, retries int) {
		t.Helper()
		got, err := sweep{steps: e.steps}.late(t.Context(), e.job)
		if err != nil || got.Code != photojob.CodeDeadlineExceeded || got.Message != want || got.RetryCount != retries {
			t.Errorf("got %+v, error %v, want %q and retry count %d", got, err, want, retries)
		}
	}
	late("the job did not finish in time: the provider gemini is disabled", 0)
	set(t, e.catalog, photojob.Gemini, func(s *policy.Settings) { s.Enabled = true })
	late("the job did not finish in time: the provider gemini is suspended", 0) // it has no key
	denied := &provider.Error{Class: provider.Suspend, Code: provider.AccessDenied, Billed: provider.NotBilled, Err: reason.ProviderStatus.Fill(401)}
	if err := e.fails(t, denied); err == nil {
		t.Error("got no error, want one")
	}
	late("the job did not finish in time: the provider gemini is suspended; the last attempt: the provider responded with 401", 0)
}

// TestErrorOutsideProvider checks that an error that is not from the provider leaves the call in the
// state sent, since its outcome is unknown.
func TestErrorOutsideProvider(t *testing.T) {
	e, unreachable := calling(t, 2), errors.New("the bucket is unreachable")
	if err := e.fails(t, unreachable); !errors.Is(err, unreachable) || bus.IsPermanent(err) {
		t.Errorf("got error %v, want %v, not permanent", err, unreachable)
	}
	if _, call := e.lastStored(t); call.Outcome != photojob.CallSent || call.CostMicros != price {
		t.Errorf("got last call %+v, want outcome %s and cost %d", call, photojob.CallSent, price)
	}
}

// TestErrorAfterCancel checks that the cost of a call is recorded even if its job was canceled
// concurrently, and that the job does not change.
func TestErrorAfterCancel(t *testing.T) {
	e := calling(t, 2)
	if _, err := e.store.Fail(t.Context(), e.job, photojob.JobError{Code: photojob.CodeCanceled, Message: "canceled"}); err != nil {
		t.Fatal(err)
	}
	err := e.fails(t, &provider.Error{Class: provider.Unknown, Code: provider.Timeout, Billed: provider.MaybeBilled, Err: errors.New("timed out after 30 s")})
	if _, moved := errors.AsType[*lifecycle.MovedError](err); !moved && !errors.Is(err, lifecycle.ErrFenceLost) {
		t.Errorf("got error %v, want a MovedError or %v", err, lifecycle.ErrFenceLost)
	}
	if job, call := e.lastStored(t); job.Status != photojob.Failed || job.Error.Code != photojob.CodeCanceled || call.Outcome != photojob.CallUnknown || call.CostMicros != price {
		t.Errorf("got status %s, error %+v, call %+v, want %s, %s and a call with an unknown outcome and cost %d", job.Status, job.Error, call, photojob.Failed, photojob.CodeCanceled, price)
	}
}

// TestPhotoOfLostJob checks that a worker that lost a job to another one retains the edited photo, since
// the other worker may complete the job with it, and deletes the photo once the job is canceled.
func TestPhotoOfLostJob(t *testing.T) {
	e := calling(t, 2)
	var mu sync.Mutex
	var deleted []string
	bucket := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			mu.Lock()
			deleted = append(deleted, r.URL.Path)
			mu.Unlock()
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer bucket.Close()
	deletions := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(deleted)
	}
	stores, err := backend.Stores(t.Context(), backend.Config{
		AWS: backend.AWS{Region: "us-east-1", AccessKey: "a", SecretKey: "b"}, S3: blob.Config{Endpoint: bucket.URL, Bucket: "final"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stores.Close()
	e.final = stores.Bucket
	call, _ := e.job.Calls.Last()
	after := e.job.Answered(settled(call, photojob.CallOK, provider.Usage{}))
	after.EditResult = &photojob.EditResult{S3Key: photojob.FinalKey(e.job.JobID, call.N, "jpeg")}

	other, err := e.store.Resume(t.Context(), e.job, e.job, photojob.Call{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Finish(t.Context(), e.job, finished{e.job, after}); !errors.Is(err, lifecycle.ErrFenceLost) {
		t.Errorf("taken over: got error %v, want %v", err, lifecycle.ErrFenceLost)
	}
	if got := deletions(); len(got) > 0 {
		t.Errorf("taken over: got deletions of %v, want none", got)
	}

	if _, err := e.store.Fail(t.Context(), other, photojob.JobError{Code: photojob.CodeCanceled, Message: "canceled"}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Finish(t.Context(), e.job, finished{e.job, after}); err == nil {
		t.Error("canceled: got no error, want one")
	}
	var want []string
	for _, key := range photojob.ResultKeys(after.EditResult.S3Key, after.EditResult) {
		want = append(want, "/final/"+key)
	}
	if got := deletions(); !slices.Equal(got, want) {
		t.Errorf("canceled: got deletions of %v, want %v", got, want)
	}
}
