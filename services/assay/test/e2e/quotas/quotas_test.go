package quotas

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestQuotas proves the quotas of owners on one server.
func TestQuotas(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir(), "ASSAY_QUOTAS=bytes=1000,streams=2").System
	for name, prove := range map[string]func(*testing.T, system.System){
		"bytes":                       bytesAreBounded,
		"streams":                     streamsAreBounded,
		"requests and operators":      operatorsSetQuotas,
		"larger than the quota":       largerThanTheQuota,
		"photos and library":          photosAndLibraryCount,
		"copies":                      copiesCount,
		"operator writes are audited": writesAreAudited,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); prove(t, s) })
	}
}

const size = 300 // bytes; three files of this size fit into the quota

// used checks the number of items and bytes that an owner uses.
func used(t *testing.T, s system.System, owner string, items, bytes int64) {
	t.Helper()
	var me struct{ client.Usage }
	resp, body := s.Ask(t, http.MethodGet, "/v1/me", map[string]string{"X-Owner-Id": owner}, "")
	if err := json.Unmarshal([]byte(body), &me); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET /v1/me returned %s %s, %v; want 200", resp.Status, body, err)
	}
	if me.Use == nil || me.Use.Items != items || me.Use.Bytes != bytes || me.CountedSince.IsZero() {
		t.Errorf("the usage is %+v, want %d items and %d bytes and since when", me.Usage, items, bytes)
	}
}

// bytesAreBounded: only as many of 64 concurrent writers succeed as the quota allows, and a delete allows one more.
func bytesAreBounded(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	var accepted sync.Map
	var count, refused atomic.Int64
	var writers sync.WaitGroup
	for i := range 64 {
		writers.Go(func() {
			file, err := c.Reserve(t.Context(), client.Reservation{FileName: fmt.Sprintf("%d.txt", i), Size: size, ContentType: "text/plain"})
			if err == nil {
				count.Add(1)
				accepted.Store(file.FileID, true)
				return
			}
			if problem, ok := errors.AsType[*client.Problem](err); !ok || problem.Status != http.StatusTooManyRequests || !strings.HasSuffix(problem.Type, "quota-exceeded") {
				t.Errorf("writer %d: %v, want 429 quota-exceeded", i, err)
				return
			}
			refused.Add(1)
		})
	}
	writers.Wait()
	if count.Load() != 3 || refused.Load() != 61 {
		t.Fatalf("%d writers were accepted and %d rejected, want 3 and 61", count.Load(), refused.Load())
	}
	used(t, s, owner, 3, 3*size)
	resp, body := s.Ask(t, http.MethodPost, "/v1/files", map[string]string{"X-Owner-Id": owner, "Content-Type": "application/json"}, fmt.Sprintf(`{"fileName":"x.txt","size":%d}`, size))
	system.Refused(t, resp, body, http.StatusTooManyRequests, "quota-exceeded")
	if policy := resp.Header.Get("RateLimit-Policy"); !strings.Contains(policy, `"bytes";q=1000`) || resp.Header.Get("Retry-After") != "" {
		t.Errorf("the headers are %v, want the policy of bytes and no Retry-After", resp.Header)
	}
	for id := range accepted.Range {
		for range 2 { // a repeated delete releases the usage only once
			if err := c.Delete(system.Within(t), id.(string)); err != nil {
				t.Fatal(err)
			}
		}
		break
	}
	used(t, s, owner, 2, 2*size)
	if _, err := c.Upload(system.Within(t), system.Source("more.txt", strings.Repeat("a ", size/2))); err != nil {
		t.Errorf("an upload after the delete returned %v, want no error", err)
	}
	used(t, s, owner, 3, 3*size)
}

// copiesCount: an item that is made from another one counts like an upload. Above the quota it is refused, and nothing is stored.
func copiesCount(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	first, err := c.Upload(system.Within(t), system.Source("first.txt", strings.Repeat("a ", size/2)))
	if err != nil {
		t.Fatal(err)
	}
	copied := func(to string) error {
		_, err := c.Send(system.Within(t), client.TextFileArea, first.FileID, client.Sending{To: to, Key: to})
		return err
	}
	for _, to := range []string{client.TextFileArea, client.LibraryArea} {
		if err := copied(to); err != nil {
			t.Fatal(err)
		}
	}
	used(t, s, owner, 3, 3*size)
	if err := copied(client.TextFileArea); err != nil {
		t.Errorf("a repeated request returned %v, want the first copy", err)
	}
	for _, to := range []string{client.TextFileArea, client.LibraryArea} {
		_, err := c.Send(system.Within(t), client.TextFileArea, first.FileID, client.Sending{To: to})
		if problem, ok := errors.AsType[*client.Problem](err); !ok || problem.Status != http.StatusTooManyRequests || !strings.HasSuffix(problem.Type, "quota-exceeded") {
			t.Errorf("a copy to %s above the quota: %v, want 429 quota-exceeded", to, err)
		}
	}
	used(t, s, owner, 3, 3*size)
}

// streamsAreBounded: an owner cannot open more streams than the quota allows until one closes.
func streamsAreBounded(t *testing.T, s system.System) {
	owner := system.NewOwner()
	open := func() *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.HTTP+"/v1/events?owner="+owner, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Owner-Id", owner)
		resp, err := system.Checked(http.DefaultTransport).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	first, second := open(), open()
	if first.StatusCode != http.StatusOK || second.StatusCode != http.StatusOK {
		t.Fatalf("streams within the quota: %s, %s, want 200", first.Status, second.Status)
	}
	if third := open(); third.StatusCode != http.StatusTooManyRequests || third.Header.Get("Retry-After") == "" {
		t.Errorf("a stream above the quota: %s %v, want 429 with Retry-After", third.Status, third.Header)
	}
	if err := first.Body.Close(); err != nil {
		t.Fatal(err)
	}
	for late := time.After(system.Soon); ; {
		if resp := open(); resp.StatusCode == http.StatusOK {
			return
		}
		select {
		case <-late:
			t.Fatal("a closed stream still counts against the quota, want another stream to be accepted")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// operatorsSetQuotas: a request quota that an operator sets for one owner applies to the owner's requests and appears in
// the headers of responses.
func operatorsSetQuotas(t *testing.T, s system.System) {
	owner := system.NewOwner()
	rate := int64(2)
	operator := system.OperatorClient(t, s.Operator)
	if set, err := operator.SetQuotas(system.Within(t), owner, client.QuotaSettings{Requests: &rate}); err != nil || set.Quotas.Requests != rate || set.Quotas.Bytes != 1000 {
		t.Fatalf("SetQuotas = %+v, %v; want %d requests and the default bytes", set, err, rate)
	}
	for late := time.After(system.Soon); ; {
		resp, body := s.Ask(t, http.MethodGet, "/v1/me", map[string]string{"X-Owner-Id": owner}, "")
		if resp.StatusCode == http.StatusTooManyRequests {
			if policy := resp.Header.Get("RateLimit-Policy"); !strings.HasPrefix(policy, `"requests";q=2`) || resp.Header.Get("Retry-After") == "" {
				t.Errorf("a request above the quota: %s, %v; want the policy of requests and Retry-After", body, resp.Header)
			}
			break
		}
		select {
		case <-late:
			t.Fatal("no request above the quota was rejected, want 429")
		default:
		}
	}
	if resp, _ := s.Ask(t, http.MethodGet, "/v1/me", map[string]string{"X-Owner-Id": system.NewOwner()}, ""); resp.StatusCode != http.StatusOK {
		t.Errorf("a request of another owner: %s, want 200", resp.Status)
	}
}

// largerThanTheQuota: an upload, or a batch in total, that is larger than the quota is rejected with its size.
func largerThanTheQuota(t *testing.T, s system.System) {
	for _, call := range []struct {
		path, body string
		bytes      int
	}{
		{"/v1/files", `{"fileName":"x.txt","size":1001}`, 1001},
		{"/v1/photo-batches", `{"photos":[{"fileName":"a.jpg","size":600,"contentType":"image/jpeg"},{"fileName":"b.jpg","size":600,"contentType":"image/jpeg"}]}`, 1200},
	} {
		resp, body := s.Ask(t, http.MethodPost, call.path, map[string]string{"X-Owner-Id": system.NewOwner(), "Content-Type": "application/json"}, call.body)
		p := system.Refused(t, resp, body, http.StatusRequestEntityTooLarge, "larger-than-quota")
		if want := fmt.Sprintf("%d bytes were requested, but the quota of this owner is 1000 bytes.", call.bytes); p.Detail != want {
			t.Errorf("POST %s: the detail is %q, want %q", call.path, p.Detail, want)
		}
	}
}

// photosAndLibraryCount: photos and library files count against the same quota.
func photosAndLibraryCount(t *testing.T, s system.System) {
	owner := system.NewOwner()
	as := map[string]string{"X-Owner-Id": owner, "Content-Type": "application/json"}
	for _, call := range []struct{ path, body string }{
		{"/v1/photos", `{"fileName":"a.jpg","size":400,"contentType":"image/jpeg"}`},
		{"/v1/library/files", `{"name":"a.bin","size":400}`},
	} {
		if resp, body := s.Ask(t, http.MethodPost, call.path, as, call.body); resp.StatusCode != http.StatusCreated {
			t.Fatalf("%s: %s %s, want 201", call.path, resp.Status, body)
		}
	}
	used(t, s, owner, 2, 800)
	for _, call := range []struct{ path, body string }{
		{"/v1/photos", `{"fileName":"b.jpg","size":400,"contentType":"image/jpeg"}`},
		{"/v1/library/files", `{"name":"b.bin","size":400}`},
	} {
		resp, body := s.Ask(t, http.MethodPost, call.path, as, call.body)
		system.Refused(t, resp, body, http.StatusTooManyRequests, "quota-exceeded")
	}
}

// writesAreAudited: a write of an operator is recorded with its outcome, but a read is not.
func writesAreAudited(t *testing.T, s system.System) {
	operator, owner, items := system.OperatorClient(t, s.Operator), system.NewOwner(), int64(7)
	if _, err := operator.SetQuotas(system.Within(t), owner, client.QuotaSettings{Items: &items}); err != nil {
		t.Fatal(err)
	}
	if _, err := operator.Quotas(system.Within(t), owner); err != nil {
		t.Fatal(err)
	}
	entries, _, err := operator.Audit(system.Within(t), time.Time{}, 100, "")
	if err != nil {
		t.Fatal(err)
	}
	var found []client.AuditEntry
	for _, entry := range entries {
		if strings.Contains(entry.Path, owner) {
			found = append(found, entry)
		}
	}
	if len(found) != 1 || found[0].Method != http.MethodPut || found[0].Outcome != "done" || found[0].Status != http.StatusOK || found[0].RequestID == "" {
		t.Errorf("the audit log contains %+v for the owner, want one write with the outcome done", found)
	}
}
