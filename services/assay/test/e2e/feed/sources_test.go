package feed

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/ingest/feed/source/newsapi"
	"github.com/assay-project/assay/services/ingest/feed/source/newsapi/newsapitest"
)

// TestSourceSurvivesRestart: a source created at the operator address adds each entry of its feed once, regardless of
// the number of polls and of a restart. After the restart, its requests still contain the validators of the feed.
func TestSourceSurvivesRestart(t *testing.T) {
	t.Parallel()
	host := startFeedHost(t, "Of Go", "Of go and else", "Of gophers")
	s := system.StartServer(t, t.TempDir(), sourcesEnv...)
	day := utcDay()
	etag := putSource(t, s.Operator, "books", "", system.Settings{"kind": "rss", "url": host.url, "enabled": true, "interval": "100ms", "tags": []string{"go", "else"}})
	items := s.AwaitItems(t, "go", 2)
	for _, item := range items {
		if item.SourceType != "rss" || !strings.HasPrefix(item.SourceID, "rss#") || !strings.HasPrefix(item.SourceURL, "https://example.com/") ||
			!strings.HasSuffix(item.TextSnippet, ". The book was good.") || item.Compound != 0.4404 {
			t.Errorf("got %+v, want the analyzed entry of an RSS feed", item)
		}
	}
	s.AwaitItems(t, "else", 1)
	awaitOutcome(t, s.Operator, "books", "unchanged")
	host.publish("More of Go")
	s.AwaitItems(t, "go", 3)
	// A poll in progress reserves the requests that it might need.
	system.Eventually(t, func() error {
		if got := awaitOutcome(t, s.Operator, "books", "unchanged"); got.State.QuotaUsed != 2 && day == utcDay() {
			return fmt.Errorf("%d requests are counted, want 2: a 304 response does not count", got.State.QuotaUsed)
		}
		return nil
	})
	if status := s.Program.Interrupt(t); status != 0 {
		t.Errorf("exit status %d, want 0", status)
	}
	before, _ := host.requests()
	s.Restart(t)
	system.Eventually(t, func() error {
		if all, _ := host.requests(); all < before+2 {
			return fmt.Errorf("%d requests since the restart, want at least 2", all-before)
		}
		return nil
	})
	if _, matched := host.requests(); slices.Contains(matched[before:], false) {
		t.Errorf("requests after the restart that name the version of the feed: %v, want all", matched[before:])
	}
	// After a change of the settings, the complete feed is read again, without new entries.
	putSource(t, s.Operator, "books", etag, system.Settings{"kind": "rss", "url": host.url, "enabled": true, "interval": "1h", "tags": []string{"go", "else", "more"}})
	if got := awaitOutcome(t, s.Operator, "books", "ok"); got.State.LastPoll.Taken.Created != 0 || got.State.LastPoll.Taken.Duplicate != 3 || got.State.LastPoll.Taken.Skipped != 1 {
		t.Errorf("the poll after the change: %+v, want 0 created, 3 duplicate and 1 skipped", got.State.LastPoll)
	}
	s.AwaitItems(t, "go", 3)
	if more := s.AwaitItems(t, "more", 1); !slices.Equal(more[0].MatchedTags, []string{"go", "more"}) {
		t.Errorf("got %+v, want an item with the tags go and more", more[0])
	}
	_, metrics := system.Get(t, s.Operator+"/metrics")
	for _, series := range []string{`assay_source_polls_total{outcome="ok",source="books"}`, `assay_source_items_total{outcome="duplicate",source="books"} 3`} {
		if !strings.Contains(metrics, "\n"+series) {
			t.Errorf("the metrics do not contain %s", series)
		}
	}
}

// TestNewsAPI: the articles of all pages of a search are added, and an article found for two tags has both. A rejected
// key stops only its source, until the settings are changed.
func TestNewsAPI(t *testing.T) {
	t.Parallel()
	news := newsapitest.Start(t)
	for i := range 150 {
		news.Publish(newsapi.Article{
			Title: fmt.Sprintf("Solar power %d", i), Description: "<b>Good</b> news", URL: fmt.Sprintf("https://example.com/%d", i),
			PublishedAt: time.Now().Add(-time.Hour - time.Duration(i)*time.Second), Source: newsapi.Source{Name: "BBC News"}, Author: "Jane",
		})
	}
	news.Publish(
		newsapi.Article{Title: "Solar and wind", URL: "https://example.com/both", PublishedAt: time.Now().Add(-time.Hour)},
		newsapi.Article{Title: "[Removed]", Description: "wind", URL: "https://removed.com", PublishedAt: time.Now().Add(-time.Hour)})
	s := system.StartServer(t, t.TempDir(), sourcesEnv...)
	search := system.Settings{"kind": "newsapi", "url": news.URL, "enabled": true, "interval": "200ms", "tags": []string{"solar", "wind"}, "pages": 2, "quota": 1000, "keyVariable": "ASSAY_NEWSAPI_KEY_OLD"}
	etag := putSource(t, s.Operator, "news", "", search)
	if got := awaitOutcome(t, s.Operator, "news", "unauthorized"); got.State.Status != "stopped" || !strings.Contains(got.State.Reason, "apiKeyInvalid") {
		t.Errorf("got %+v, want stopped because of apiKeyInvalid", got.State)
	}
	if asked := len(news.Asked()); asked != 1 {
		t.Errorf("%d requests with a rejected key, want 1", asked)
	}
	delete(search, "keyVariable")
	etag = putSource(t, s.Operator, "news", etag, search)
	items := s.AwaitItems(t, "solar", 151)
	both := s.AwaitItems(t, "wind", 1)
	if !slices.Equal(both[0].MatchedTags, []string{"solar", "wind"}) || both[0].SourceURL != "https://example.com/both" || both[0].SourceType != "newsapi" {
		t.Errorf("got %+v, want the article found for both tags", both)
	}
	first := slices.IndexFunc(items, func(item system.FeedItem) bool { return item.SourceURL == "https://example.com/0" })
	item := s.Analyzed(t, items[max(0, first)].SourceID)
	if item.Metadata["author"] != "Jane" || item.Metadata["source_name"] != "BBC News" || item.Metadata["published_at"] == "" ||
		item.TextSnippet != "Solar power 0. Good news" {
		t.Errorf("got %+v, want the article with its author, source and time", item)
	}

	news.Answer(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		newsapitest.Fail(w, http.StatusTooManyRequests, "rateLimited", "said")
	})
	if got := awaitOutcome(t, s.Operator, "news", "throttled"); got.State.Status != "paused" {
		t.Errorf("got %+v, want paused", got.State)
	}
	asked := len(news.Asked())
	putSource(t, s.Operator, "news", etag, search)
	if got := getSource(t, s.Operator, "news"); got.State.Status != "paused" || len(news.Asked()) != asked {
		t.Errorf("after a change of the settings, the source is %+v and made %d requests, want paused and %d requests", got.State, len(news.Asked()), asked)
	}
	if status, body := system.Get(t, s.HTTP+"/readyz"); status != http.StatusOK {
		t.Errorf("GET /readyz with a paused source returned %d %s, want 200", status, body)
	}
	s.AwaitItems(t, "solar", 151)
}

// TestPollOfADeadProcess: if an ingest process crashes during a poll, another one polls the source once the lease has
// expired. Requests that the crashed process may have sent count against the quota.
func TestPollOfADeadProcess(t *testing.T) {
	t.Parallel()
	news := newsapitest.Start(t)
	asked := make(chan struct{}, 1)
	news.Answer(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		<-r.Context().Done()
	})
	news.Publish(newsapi.Article{Title: "Solar", URL: "https://example.com/", PublishedAt: time.Now().Add(-time.Hour)})
	c := system.StartCluster(t, append([]string{"ASSAY_SOURCES_LEASE=4s"}, sourcesEnv...)...)
	first := c.Service(t, "ingest")
	day := utcDay()
	putSource(t, first.Operator, "news", "", system.Settings{"kind": "newsapi", "url": news.URL, "enabled": true, "interval": "1h", "tags": []string{"solar", "wind"}, "pages": 3, "quota": 10})
	<-asked
	if got := getSource(t, first.Operator, "news"); got.State.Status != "polling" || got.State.QuotaUsed != 6 && day == utcDay() {
		t.Errorf("during the poll: %+v, want polling and a used quota of 6", got.State)
	}
	first.Kill(t)
	news.Answer(nil)
	second := c.Service(t, "ingest")
	if got := awaitOutcome(t, second.Operator, "news", "ok"); got.State.QuotaUsed != 8 && day == utcDay() || got.State.LastPoll.Taken.Created != 1 {
		t.Errorf("after the poll of the second process: %+v, want a used quota of 8 and 1 created item", got.State)
	}
}

// TestSourceCalls checks the operator API of sources and its errors.
func TestSourceCalls(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.RedirectHandler("http://169.254.169.254/latest/meta-data/", http.StatusFound))
	t.Cleanup(elsewhere.Close)
	s := system.StartServer(t, t.TempDir(), sourcesEnv...)
	operator := system.System{HTTP: s.Operator}
	ask := func(method, name, body string, header ...string) (*http.Response, string) {
		set := map[string]string{"Content-Type": "application/json"}
		for i := 0; i < len(header); i += 2 {
			set[header[i]] = header[i+1]
		}
		return operator.Ask(t, method, "/v1/feed/sources/"+name, set, body)
	}
	good := system.Settings{"kind": "rss", "url": elsewhere.URL, "enabled": true, "tags": []string{"a"}}
	etag := putSource(t, s.Operator, "one", "", good)
	if got := awaitOutcome(t, s.Operator, "one", "refused"); got.State.Failures != 1 || got.State.Status != "paused" || got.Interval != "15m" || got.Quota != 2000 {
		t.Errorf("a feed that redirects to a private address: %+v, want 1 failure, paused, and the default interval and quota", got)
	} else if detail := got.State.LastPoll.Detail; !strings.Contains(detail, "169.254.169.254") || !strings.Contains(detail, "ASSAY_SOURCES_ALLOW_NETWORKS") {
		t.Errorf("the detail is %q, want it to name the address and its setting", detail)
	}

	for _, c := range []struct {
		what, method, name, body string
		header                   []string
		status                   int
		slug                     string
	}{
		{"change without If-Match", "PUT", "one", system.JSON(good), nil, 428, "precondition-required"},
		{"change of an old revision", "PUT", "one", system.JSON(good), []string{"If-Match", `"77"`}, 412, "precondition-failed"},
		{"change with an invalid ETag", "PUT", "one", system.JSON(good), []string{"If-Match", "x"}, 412, "precondition-failed"},
		{"creation of an existing source", "PUT", "one", system.JSON(good), []string{"If-None-Match", "*"}, 412, "precondition-failed"},
		{"change of a missing source", "PUT", "two", system.JSON(good), []string{"If-Match", "*"}, 412, "precondition-failed"},
		{"missing source", "GET", "two", "", nil, 404, "not-found"},
		{"delete without If-Match", "DELETE", "one", "", nil, 428, "precondition-required"},
		{"delete of an old revision", "DELETE", "one", "", []string{"If-Match", `"77"`}, 412, "precondition-failed"},
		{"invalid name", "PUT", "One", system.JSON(good), nil, 422, "invalid-request"},
		{"unknown kind", "PUT", "two", system.JSON(system.Settings{"kind": "twitter", "url": elsewhere.URL, "enabled": true, "tags": []string{"a"}}), nil, 422, "invalid-request"},
		{"unknown field", "PUT", "two", system.JSON(system.Settings{"kind": "rss", "url": elsewhere.URL, "enabled": true, "tags": []string{"a"}, "apiKey": "b"}), nil, 422, "invalid-request"},
		{"variable of another secret", "PUT", "two", system.JSON(system.Settings{"kind": "newsapi", "enabled": true, "tags": []string{"a"}, "keyVariable": "AWS_SECRET_ACCESS_KEY"}), nil, 422, "invalid-request"},
	} {
		resp, body := ask(c.method, c.name, c.body, c.header...)
		t.Log(c.what)
		system.Refused(t, resp, body, c.status, c.slug)
	}

	// Only one of several writers with the same ETag succeeds.
	statuses := make(chan int, 10)
	for range cap(statuses) {
		go func() {
			req, err := http.NewRequest(http.MethodPut, s.Operator+"/v1/feed/sources/one", strings.NewReader(system.JSON(good)))
			if err != nil {
				statuses <- 0
				return
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("If-Match", etag)
			resp, _, err := system.RoundTrip(req)
			if err != nil {
				statuses <- 0
				return
			}
			statuses <- resp.StatusCode
		}()
	}
	won := 0
	for range cap(statuses) {
		switch status := <-statuses; status {
		case http.StatusOK:
			won++
		case http.StatusPreconditionFailed:
		default:
			t.Errorf("a writer received status %d, want 200 or 412", status)
		}
	}
	if won != 1 {
		t.Errorf("%d writers of one revision succeeded, want 1", won)
	}
	if resp, body := ask(http.MethodDelete, "one", "", "If-Match", "*"); resp.StatusCode != http.StatusNoContent {
		t.Errorf("delete: %d %s, want 204", resp.StatusCode, body)
	}
	if resp, body := ask(http.MethodDelete, "one", ""); resp.StatusCode != http.StatusNoContent {
		t.Errorf("repeated delete: %d %s, want 204", resp.StatusCode, body)
	}
	if resp, body := ask(http.MethodGet, "one", ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("after the delete: %d %s, want 404", resp.StatusCode, body)
	}
	if resp, body := operator.Ask(t, http.MethodGet, "/v1/feed/sources", nil, ""); resp.StatusCode != http.StatusOK || !strings.Contains(body, `"sources":[]`) {
		t.Errorf("the list: %d %s, want 200 and no sources", resp.StatusCode, body)
	}
	if again := putSource(t, s.Operator, "one", "", good); again == etag {
		t.Errorf("the recreated source has the ETag %s of the deleted one", again)
	}
	if resp, body := s.Ask(t, http.MethodGet, "/v1/feed/sources", nil, ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("sources at the public address: %d %s, want 404", resp.StatusCode, body)
	}
}
