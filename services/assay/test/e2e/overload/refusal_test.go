package overload

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
)

// refusals makes uploads by all kinds of calls and records their promises.
type refusals struct {
	*system.Cluster
	promises []audit.Promise
}

const refusedText = "full house"

// post sends a file through ingest, and records a promise if it is accepted.
func (r *refusals) post(t *testing.T, owner string) (*http.Response, string) {
	t.Helper()
	content, formType := system.Form(`form-data; name="file"; filename="f.txt"`, "text/plain", refusedText)
	resp, body := r.Ask(t, http.MethodPost, "/v1/files", map[string]string{"X-Owner-Id": owner, "Content-Type": formType}, content)
	if resp.StatusCode == http.StatusAccepted {
		var file client.File
		system.Decode(t, body, &file)
		r.promise(textfile.Name, file.FileID, true)
	}
	return resp, body
}

// reserve reserves an upload, and deletes the reservation if it is accepted.
func (r *refusals) reserve(t *testing.T, owner string) (*http.Response, string) {
	t.Helper()
	resp, body := r.Ask(t, http.MethodPost, "/v1/files", map[string]string{"X-Owner-Id": owner, "Content-Type": "application/json"},
		system.JSON(client.Reservation{FileName: "r.txt", Size: int64(len(refusedText))}))
	if resp.StatusCode == http.StatusCreated {
		var file client.File
		system.Decode(t, body, &file)
		if err := r.Client(t, owner).Delete(t.Context(), file.FileID); err != nil {
			t.Error(err)
		}
	}
	return resp, body
}

// postings sends a feed item, or several as a batch.
func (r *refusals) postings(t *testing.T, items ...system.Posting) (*http.Response, string) {
	t.Helper()
	body := system.JSON(map[string]any{"items": items})
	if len(items) == 1 {
		body = system.JSON(items[0])
	}
	resp, answer := r.Ask(t, http.MethodPost, "/v1/feed/items", system.JSONHeader, body)
	var out struct{ Results []struct{ Outcome string } }
	if resp.StatusCode == http.StatusMultiStatus {
		system.Decode(t, answer, &out)
	}
	for i, p := range items {
		accepted := resp.StatusCode == http.StatusCreated
		if len(out.Results) == len(items) {
			accepted = out.Results[i].Outcome == "created"
		}
		if len(p.MatchedTags) > 0 { // otherwise it is invalid
			r.promise(feed.Name, p.SourceID, accepted)
		}
	}
	return resp, answer
}

// promise records the required outcome of an upload; a rejected upload may have the same outcome, or leave nothing
// behind.
func (r *refusals) promise(area, id string, accepted bool) {
	p := audit.Promise{Run: "accepted " + strconv.FormatBool(accepted), Area: area, ID: id, Result: feed.Positive}
	if area == textfile.Name {
		p.Result = system.JSON(system.Count(refusedText))
	}
	if accepted {
		p.At = time.Now()
	}
	r.promises = append(r.promises, p)
}

// checkRejection checks the response to a rejected upload.
func checkRejection(t *testing.T, resp *http.Response, body string, status int) {
	t.Helper()
	system.Refused(t, resp, body, status, map[int]string{http.StatusTooManyRequests: "too-much-waiting", http.StatusServiceUnavailable: "unavailable"}[status])
	retryable(t, resp)
}

func retryable(t *testing.T, resp *http.Response) {
	t.Helper()
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err != nil || seconds < 1 {
		t.Errorf("Retry-After is %q, want at least 1", resp.Header.Get("Retry-After"))
	}
}

// closed waits until reservations of an owner are rejected, because the count of queued work can be a second old.
func (r *refusals) closed(t *testing.T, owner string, status int) {
	t.Helper()
	system.Eventually(t, func() error {
		resp, body := r.reserve(t, owner)
		if resp.StatusCode == http.StatusCreated {
			return fmt.Errorf("a reservation was accepted, want %d", status)
		}
		checkRejection(t, resp, body, status)
		return nil
	})
}

// late uploads the bytes of a reservation made before the limit was reached, and expects the `uploaded` call to succeed:
// work that follows from an accepted reservation is not rejected.
func (r *refusals) late(t *testing.T, reserved client.Reserved) {
	t.Helper()
	if status, body := system.Put(t, reserved.Upload, refusedText, nil); status != http.StatusOK {
		t.Fatalf("PUT returned %d %s, want 200", status, body)
	}
	resp, body := r.Ask(t, http.MethodPost, "/v1/files/"+reserved.FileID+"/uploaded", map[string]string{"X-Owner-Id": reserved.OwnerID}, "")
	if resp.StatusCode != http.StatusAccepted {
		t.Errorf("an upload that was reserved before the limit was reached: %d %s, want 202", resp.StatusCode, body)
	}
	r.promise(textfile.Name, reserved.FileID, true)
}

// settled starts an analyzer and checks that accepted uploads end as promised and rejected uploads leave nothing
// unfinished.
func (r *refusals) settled(t *testing.T) {
	t.Helper()
	r.Service(t, "analyzer", "ASSAY_SWEEP_EVERY=1s")
	if _, err := r.JetStream(t).ResumeConsumer(system.Within(t), "ASSAY_NOTICES", "ingest-notice"); err != nil {
		t.Fatal(err)
	}
	auditor, err := audit.Open(t.Context(), r.Auditing())
	if err != nil {
		t.Fatal(err)
	}
	defer auditor.Close()
	report, err := auditor.Audit(t.Context(), r.promises, system.Soon)
	if err != nil || !report.Kept() {
		t.Errorf("Audit = %s, %v; want all promises kept", report, err)
	}
}

// startRefusals starts ingest and query. Notifications are not consumed, because each temporarily counts as another file
// of its owner, and the notification of a rejected file can send it to a worker after it was deleted.
func startRefusals(t *testing.T, env ...string) *refusals {
	t.Helper()
	r := &refusals{Cluster: system.StartCluster(t, append(env, system.NoSweep)...)}
	r.Front(t, r.Service(t, "ingest"), r.Service(t, "query"))
	r.HoldNotices(t)
	return r
}

func fromReddit(tags ...string) system.Posting {
	p := system.NewPosting("This is a good day.", tags...)
	p.SourceID, p.SourceType = "reddit#"+p.SourceID[len("newsapi#"):], "reddit"
	return p
}

// TestOwnerOverItsLimitIsRejected: every call of an owner or a feed source that has reached its limit of queued work
// returns 429 with a Retry-After; in a batch, only the items of that source are rejected. Other owners are admitted, and
// the owner is admitted again once its work is done.
func TestOwnerOverItsLimitIsRejected(t *testing.T) {
	t.Parallel()
	const bound = 3
	r := startRefusals(t, fmt.Sprint("ASSAY_WORK_MAX_PER_OWNER=", bound))
	owner := system.NewOwner()
	late := system.Reserve(t, r.Client(t, owner), "late.txt", "text/plain", refusedText)
	for range bound {
		if resp, body := r.post(t, owner); resp.StatusCode != http.StatusAccepted {
			t.Fatalf("an upload within the limit: %d %s, want 202", resp.StatusCode, body)
		}
	}
	resp, body := r.post(t, owner)
	checkRejection(t, resp, body, http.StatusTooManyRequests)
	r.closed(t, owner, http.StatusTooManyRequests)
	r.late(t, late)
	if resp, body := r.post(t, system.NewOwner()); resp.StatusCode != http.StatusAccepted {
		t.Errorf("an upload of another owner: %d %s, want 202", resp.StatusCode, body)
	}

	for range bound {
		if resp, body := r.postings(t, system.NewPosting("This is a good day.", "a")); resp.StatusCode != http.StatusCreated {
			t.Errorf("an item within the limit: %d %s, want 201", resp.StatusCode, body)
		}
	}
	resp, body = r.postings(t, system.NewPosting("This is a good day.", "a"))
	checkRejection(t, resp, body, http.StatusTooManyRequests)
	resp, body = r.postings(t, system.NewPosting("This is a good day.", "a"), system.NewPosting("This is a good day.", "a"))
	checkRejection(t, resp, body, http.StatusTooManyRequests)
	resp, body = r.postings(t, system.NewPosting("This is a good day.", "a"), fromReddit("a"), fromReddit())
	var out struct {
		Results []struct{ Outcome, Type string }
	}
	system.Decode(t, body, &out)
	want := []struct{ Outcome, Type string }{{"refused", "urn:assay:problem:too-much-waiting"}, {"created", ""}, {"invalid", ""}}
	if resp.StatusCode != http.StatusMultiStatus || !slices.Equal(out.Results, want) {
		t.Errorf("a batch of three: %d %s, want 207 %v", resp.StatusCode, body, want)
	}
	retryable(t, resp)

	for file, err := range r.Client(t, owner).List(system.Within(t), client.Listing{}) {
		if err != nil || !slices.ContainsFunc(r.promises, func(p audit.Promise) bool { return p.ID == file.FileID }) {
			t.Errorf("the list contains %s, %v; want only accepted uploads", system.JSON(file), err)
		}
	}
	r.settled(t)
	system.Eventually(t, func() error {
		if resp, body := r.post(t, owner); resp.StatusCode != http.StatusAccepted {
			return errors.New(body)
		}
		return nil
	})
}

// TestNearlyFullStream: when an area's stream is nearly full, work of an owner with many queued items is rejected, but
// work of other owners is accepted; when it is full, all work is rejected, by any call. Work of another area is still
// accepted.
func TestNearlyFullStream(t *testing.T) {
	t.Parallel()
	const bound = 20
	r := startRefusals(t, fmt.Sprint("ASSAY_WORK_MAX_MESSAGES=", bound))
	flood, other := system.NewOwner(), system.NewOwner()
	for range bound - 2 {
		if resp, body := r.post(t, flood); resp.StatusCode != http.StatusAccepted {
			t.Fatalf("an upload before the stream is nearly full: %d %s, want 202", resp.StatusCode, body)
		}
	}
	r.closed(t, flood, http.StatusServiceUnavailable)
	resp, body := r.post(t, flood)
	checkRejection(t, resp, body, http.StatusServiceUnavailable)
	late := system.Reserve(t, r.Client(t, other), "late.txt", "text/plain", refusedText)
	for range 2 {
		if resp, body := r.post(t, other); resp.StatusCode != http.StatusAccepted {
			t.Errorf("an upload of another owner: %d %s, want 202", resp.StatusCode, body)
		}
	}
	resp, body = r.post(t, other)
	checkRejection(t, resp, body, http.StatusServiceUnavailable)
	r.closed(t, other, http.StatusServiceUnavailable)

	for range bound - 2 {
		if resp, body := r.postings(t, fromReddit("a")); resp.StatusCode != http.StatusCreated {
			t.Fatalf("an item of the feed: %d %s, want 201", resp.StatusCode, body)
		}
	}
	resp, body = r.postings(t, fromReddit("a"))
	checkRejection(t, resp, body, http.StatusServiceUnavailable)
	for range 2 {
		if resp, body := r.postings(t, system.NewPosting("This is a good day.", "a")); resp.StatusCode != http.StatusCreated {
			t.Errorf("an item of another source: %d %s, want 201", resp.StatusCode, body)
		}
	}
	resp, body = r.postings(t, fromReddit("a"), system.NewPosting("This is a good day.", "a"))
	checkRejection(t, resp, body, http.StatusServiceUnavailable)
	r.late(t, late)
	r.settled(t)
}
