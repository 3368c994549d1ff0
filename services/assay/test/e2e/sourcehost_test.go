package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/services/ingest/feed/source/newsapi/newsapitest"
)

// feedHost is a site with one feed, which has a version.
type feedHost struct {
	url string

	mu      sync.Mutex
	titles  []string
	asked   int
	matched []bool // of each request: whether it named the current version
}

func startFeedHost(t *testing.T, titles ...string) *feedHost {
	t.Helper()
	h := &feedHost{titles: titles}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	h.url = server.URL + "/feed.xml"
	return h
}

func (h *feedHost) publish(title string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.titles = append(h.titles, title)
}

// requests returns the number of requests, and of those that named the current version.
func (h *feedHost) requests() (all int, matched []bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked, append([]bool(nil), h.matched...)
}

func (h *feedHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked++
	version := fmt.Sprintf(`"%d"`, len(h.titles))
	w.Header().Set("ETag", version)
	h.matched = append(h.matched, r.Header.Get("If-None-Match") == version)
	if r.Header.Get("If-None-Match") == version {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	var items strings.Builder
	for i, title := range h.titles {
		fmt.Fprintf(&items, "<item><guid>%d</guid><title>%s</title><description>&lt;p&gt;The book was &lt;b&gt;good&lt;/b&gt;.&lt;/p&gt;</description><link>https://example.com/%d</link></item>", i, title, i)
	}
	fmt.Fprintf(w, `<rss version="2.0"><channel><title>Books</title>%s</channel></rss>`, items.String())
}

// sourcesEnv allows sources on loopback and polls them without pause.
var sourcesEnv = []string{
	"ASSAY_SOURCES_EVERY=50ms", "ASSAY_SOURCES_MIN_INTERVAL=50ms", "ASSAY_SOURCES_ALLOW_NETWORKS=127.0.0.0/8",
	"ASSAY_NEWSAPI_KEY=" + newsapitest.Key, "ASSAY_NEWSAPI_KEY_OLD=expired",
}

// feedSource is a source in the operator API.
type feedSource struct {
	Name, Kind, URL, Interval, KeyVariable string
	Enabled                                bool
	Quota                                  int
	Tags                                   []string
	State                                  struct {
		Status, Reason      string
		Failures, QuotaUsed int
		LastPoll            *struct {
			Outcome, Detail string
			Taken           struct{ Created, Duplicate, Invalid, Skipped int }
		}
	}
}

// settings are the settings of a source to send.
type settings map[string]any

// putSource changes a source and returns its new ETag.
func putSource(t *testing.T, operator, name, etag string, put settings) string {
	t.Helper()
	header := map[string]string{"Content-Type": "application/json"}
	if etag != "" {
		header["If-Match"] = etag
	}
	resp, body := system{HTTP: operator}.ask(t, http.MethodPut, "/v1/feed/sources/"+name, header, show(put))
	if want := map[bool]int{true: http.StatusCreated, false: http.StatusOK}[etag == ""]; resp.StatusCode != want {
		t.Fatalf("put %s: %d %s, want %d", name, resp.StatusCode, body, want)
	}
	return resp.Header.Get("ETag")
}

func getSource(t *testing.T, operator, name string) feedSource {
	t.Helper()
	resp, body := system{HTTP: operator}.ask(t, http.MethodGet, "/v1/feed/sources/"+name, nil, "")
	if resp.StatusCode != http.StatusOK || resp.Header.Get("ETag") == "" {
		t.Fatalf("get %s: %d %s", name, resp.StatusCode, body)
	}
	if strings.Contains(body, newsapitest.Key) {
		t.Errorf("a source shows its key: %s", body)
	}
	var got feedSource
	decode(t, body, &got)
	return got
}

// awaitOutcome waits until the last poll of a source had this outcome.
func awaitOutcome(t *testing.T, operator, name, outcome string) feedSource {
	t.Helper()
	var got feedSource
	eventually(t, func() error {
		if got = getSource(t, operator, name); got.State.LastPoll == nil || got.State.LastPoll.Outcome != outcome {
			return fmt.Errorf("the source is %s, want %s", show(got.State), outcome)
		}
		return nil
	})
	return got
}

// utcDay returns the day of quotas. A test compares them only if the day
// has not changed.
func utcDay() string { return time.Now().UTC().Format(time.DateOnly) }
