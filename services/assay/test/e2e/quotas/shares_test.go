package quotas

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestShares proves on one server that no owner can use up what is limited for all.
func TestShares(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir(), "ASSAY_QUOTAS=items=3", "ASSAY_LIVE_READERS=4", "ASSAY_WAITS=4").System
	for name, prove := range map[string]func(*testing.T, system.System){
		"feed items count":   feedItemsCount,
		"streams are shared": streamsAreShared,
		"waits are shared":   waitsAreShared,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); prove(t, s) })
	}
}

// feedItemsCount: an owner, or a client without an owner, cannot post more items than its quota allows, alone or in a
// batch. An item that it sends again, or that another owner has sent first, does not count. A deleted item allows
// another one.
func feedItemsCount(t *testing.T, s system.System) {
	owner := system.NewOwner()
	post := func(owner string, body any) (*http.Response, string) {
		return s.Ask(t, http.MethodPost, "/v1/feed/items", map[string]string{"X-Owner-Id": owner, "Content-Type": "application/json"}, system.JSON(body))
	}
	item := func() system.Posting { return system.NewPosting("A good day.", "a") }
	first := item()
	for range 2 {
		if resp, body := post(owner, first); resp.StatusCode >= http.StatusMultipleChoices {
			t.Fatalf("an item within the quota: %d %s, want success", resp.StatusCode, body)
		}
	}
	if resp, body := post(owner, map[string]any{"items": []system.Posting{item(), item(), item(), item()}}); resp.StatusCode != http.StatusMultiStatus ||
		strings.Count(body, `"created"`) != 2 || strings.Count(body, `"urn:assay:problem:quota-exceeded"`) != 2 || resp.Header.Get("Retry-After") != "" {
		t.Errorf("a batch that exceeds the quota: %d %s, want two items created and two refused", resp.StatusCode, body)
	}
	resp, body := post(owner, item())
	system.Refused(t, resp, body, http.StatusTooManyRequests, "quota-exceeded")
	if policy := resp.Header.Get("RateLimit-Policy"); !strings.HasPrefix(policy, `"items";q=3`) {
		t.Errorf("RateLimit-Policy is %q, want the quota items", policy)
	}
	other := system.NewOwner()
	for _, p := range []system.Posting{first, item(), item(), item()} {
		if resp, body := post(other, p); resp.StatusCode >= http.StatusMultipleChoices {
			t.Errorf("an item of another owner: %d %s, want success", resp.StatusCode, body)
		}
	}
	anonymous := func() (*http.Response, string) {
		return s.Ask(t, http.MethodPost, "/v1/feed/items", system.JSONHeader, system.JSON(item()))
	}
	for range 3 {
		if resp, body := anonymous(); resp.StatusCode != http.StatusCreated {
			t.Errorf("an item without an owner: %d %s, want 201", resp.StatusCode, body)
		}
	}
	resp, body = anonymous()
	system.Refused(t, resp, body, http.StatusTooManyRequests, "quota-exceeded")

	req, err := http.NewRequestWithContext(system.Within(t), http.MethodDelete, s.Operator+"/v1/feed/items/"+url.PathEscape(first.SourceID), nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, body := system.Exchange(t, req); resp.StatusCode != http.StatusNoContent {
		t.Fatalf("deleting an item: %d %s, want 204", resp.StatusCode, body)
	}
	if resp, body := post(owner, item()); resp.StatusCode != http.StatusCreated {
		t.Errorf("an item after one was deleted: %d %s, want 201", resp.StatusCode, body)
	}
}

// streamsAreShared: one owner gets half of all live event streams, another one the rest.
func streamsAreShared(t *testing.T, s system.System) {
	many, few := system.NewOwner(), system.NewOwner()
	shared(t, []string{many, few}, func(owner string) *http.Request {
		return held(t, s.HTTP+"/v1/events?owner="+owner, "")
	})
}

// waitsAreShared is like streamsAreShared, for requests that wait for a file whose bytes are not uploaded. Requests that
// wait for the search index use the same share.
func waitsAreShared(t *testing.T, s system.System) {
	many, few := system.NewOwner(), system.NewOwner()
	files := map[string]string{}
	for _, owner := range []string{many, few} {
		files[owner] = system.Reserve(t, s.Client(t, owner), "a.txt", "text/plain", "a").FileID
	}
	shared(t, []string{many, few}, func(owner string) *http.Request {
		return held(t, s.HTTP+"/v1/files/"+files[owner]+"?wait=60s", owner)
	})
	resp, body := s.Ask(t, http.MethodPost, "/v1/library/folders", map[string]string{"X-Owner-Id": many, "Content-Type": "application/json"}, `{"name":"a"}`)
	var folder struct{ ID string }
	if system.Decode(t, body, &folder); resp.StatusCode != http.StatusCreated {
		t.Fatalf("creating a folder: %d %s, want 201", resp.StatusCode, body)
	}
	resp, body = s.Ask(t, http.MethodGet, "/v1/library/search?q=a&after="+folder.ID+":99", map[string]string{"X-Owner-Id": many}, "")
	system.Refused(t, resp, body, http.StatusTooManyRequests, "too-many-at-once")
}

func held(t *testing.T, address, owner string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if owner != "" {
		req.Header.Set("X-Owner-Id", owner)
	}
	return req
}

// shared sends requests that are held, three of each owner, to a server that holds four. Of each owner, one is rejected.
func shared(t *testing.T, owners []string, request func(owner string) *http.Request) {
	t.Helper()
	transport := system.Checked(&http.Transport{})
	for _, owner := range owners {
		refused := make(chan *http.Response, 3)
		for range 3 {
			go func() {
				resp, err := transport.RoundTrip(request(owner))
				if err != nil {
					return // the test has ended
				}
				if resp.StatusCode == http.StatusTooManyRequests {
					refused <- resp
				} else if resp.StatusCode != http.StatusOK {
					t.Errorf("a request of %s: %s, want 200 or 429", owner, resp.Status)
				}
			}()
		}
		select {
		case resp := <-refused:
			if resp.Header.Get("Retry-After") == "" || !strings.Contains(resp.Header.Get("RateLimit-Policy"), ";q=2;") {
				t.Errorf("a request above the share: %v, want Retry-After and the policy", resp.Header)
			}
		case <-system.Within(t).Done():
			t.Fatal("three requests of one owner are held, want one of them rejected with 429")
		}
	}
}

// TestSendersOfTheFeedAreServedFairly: before the analyzer starts, one sender posts many items and another one posts a
// single item of the same source type. The single item is among the first that are analyzed.
func TestSendersOfTheFeedAreServedFairly(t *testing.T) {
	t.Parallel()
	const flood, first = 600, 60
	c := system.StartCluster(t, system.NoSweep, "ASSAY_ANALYZER_PARALLEL=4")
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	post := func(owner string, items ...system.Posting) {
		resp, body := c.Ask(t, http.MethodPost, "/v1/feed/items", map[string]string{"X-Owner-Id": owner, "Content-Type": "application/json"}, system.JSON(map[string]any{"items": items}))
		if resp.StatusCode != http.StatusMultiStatus || strings.Count(body, `"created"`) != len(items) {
			t.Fatalf("a batch: %d %s, want all items created", resp.StatusCode, body)
		}
	}
	many, few := system.NewOwner(), system.NewOwner()
	for range flood / 100 {
		batch := make([]system.Posting, 100)
		for i := range batch {
			batch[i] = system.NewPosting("A good day.", "a")
		}
		post(many, batch...)
	}
	single := system.NewPosting("A good day.", "a")
	post(few, single)
	c.Service(t, "analyzer")
	c.Analyzed(t, single.SourceID)
	outcomes, err := c.JetStream(t).Stream(system.Within(t), "ASSAY_OUTCOMES")
	if err != nil {
		t.Fatal(err)
	}
	msg, err := outcomes.GetMsg(system.Within(t), 1, jetstream.WithGetMsgSubject("assay.analysis.completed.feed."+single.SourceID))
	if err != nil {
		t.Fatal(err)
	}
	if msg.Sequence > first {
		t.Errorf("%d items of another sender were analyzed before the single item, want at most %d", msg.Sequence-1, first)
	}
	if resp, body := c.Ask(t, http.MethodGet, "/v1/feed/items/"+url.PathEscape(single.SourceID), nil, ""); strings.Contains(body, few) || strings.Contains(body, many) {
		t.Errorf("the item shows its sender: %d %s", resp.StatusCode, body)
	}
}
