package source

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/guard/fetch"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/ingest/feed/check"
	"github.com/assay-project/assay/services/ingest/feed/source/newsapi"
	"github.com/assay-project/assay/services/ingest/feed/source/newsapi/newsapitest"
)

// taker records the items of a poll.
type taker struct {
	items  []feed.Submission
	err    error
	panics bool
}

func (k *taker) take(_ context.Context, _ string, items []feed.Submission) (Taken, error) {
	if k.panics {
		panic("a parser's error")
	}
	if k.err != nil {
		return Taken{}, k.err
	}
	k.items = append(k.items, items...)
	return Taken{Created: len(items)}, nil
}

func newPoller(t *testing.T, k *taker) *Poller {
	t.Helper()
	p := New(Config{
		MinInterval: time.Millisecond, Lease: time.Minute, MaxBody: 1 << 20,
		AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}, Options{
		Take: k.take, Log: zerolog.Nop(), Registry: obs.NewRegistry(),
		Key: func(name string) string { return map[string]string{"ASSAY_NEWSAPI_KEY": newsapitest.Key}[name] },
	})
	t.Cleanup(p.client.HTTP.CloseIdleConnections)
	return p
}

// polled polls a source once, as the poller does.
func polled(t *testing.T, p *Poller, s *Source, at time.Time) report {
	t.Helper()
	c := claimNow(t, s, at)
	r := p.poll(t.Context(), c)
	s.finish(c, r, at, time.Hour)
	return r
}

func article(n int, title string, ago time.Duration) newsapi.Article {
	return newsapi.Article{Title: title, URL: fmt.Sprintf("https://example.com/%d", n), PublishedAt: time.Now().Add(-ago).Truncate(time.Second)}
}

// TestSearchesOverlap checks that each search begins an hour before the newest article of the previous
// one, and that the first search covers the last two days.
func TestSearchesOverlap(t *testing.T) {
	server, k := newsapitest.Start(t), &taker{}
	p := newPoller(t, k)
	newest := article(1, "Solar", 30*time.Hour)
	server.Publish(newest, article(2, "Solar", 49*time.Hour), article(3, "Solar in the future", -time.Hour))
	s := newSource(Settings{Kind: KindNewsAPI, URL: server.URL, Interval: "10m", Tags: []string{"solar"}})
	at := time.Now()
	if r := polled(t, p, s, at); r.err != nil || r.taken.Created != 2 {
		t.Fatalf("got report %+v, want 2 items", r)
	}
	polled(t, p, s, at.Add(10*time.Minute))
	for i, want := range []time.Time{at.Add(-48 * time.Hour), newest.PublishedAt.Add(-time.Hour)} {
		from, err := time.Parse("2006-01-02T15:04:05", server.Asked()[i].Get("from"))
		if err != nil || from.Sub(want).Abs() > 30*time.Second {
			t.Errorf("search %d: got a start of %s, want %s", i, from, want)
		}
	}
}

// TestPagesAreBounded checks that a search reads as many pages as the settings and the plan allow, and
// reports the number of skipped articles.
func TestPagesAreBounded(t *testing.T) {
	server := newsapitest.Start(t)
	for i := range 420 {
		server.Publish(article(i, "Solar", time.Duration(i)*time.Second))
	}
	for pages, want := range map[int]Taken{1: {Created: 100, Skipped: 320}, 3: {Created: 300, Skipped: 120}, 5: {Created: 300, Skipped: 120}} {
		k := &taker{}
		s := newSource(Settings{Kind: KindNewsAPI, URL: server.URL, Tags: []string{"solar"}, Pages: pages})
		if r := polled(t, newPoller(t, k), s, time.Now()); r.err != nil || r.taken != want || r.requests != min(pages, 4) {
			t.Errorf("%d pages: got %+v, want %+v", pages, r, want)
		}
	}
}

// TestShortPages checks that a search continues after a page that is shorter than its size, and ends at an empty page or
// when the total is reached.
func TestShortPages(t *testing.T) {
	for name, c := range map[string]struct {
		total, pages int
		sizes        []int // articles on each page
		requests     int
	}{
		"short first page":       {250, 3, []int{97, 100, 50}, 3},
		"short second page":      {250, 3, []int{100, 1, 50}, 3},
		"short pages":            {250, 5, []int{99, 98, 47}, 3},
		"empty second page":      {250, 3, []int{97, 0, 50}, 2},
		"empty first page":       {250, 3, []int{0, 100, 50}, 1},
		"total reached":          {200, 5, []int{99, 99, 50}, 2},
		"total on a single page": {97, 5, []int{97, 50}, 1},
		"fewer pages allowed":    {250, 2, []int{97, 100, 50}, 2},
	} {
		server, k := newsapitest.Start(t), &taker{}
		server.Answer(func(w http.ResponseWriter, r *http.Request) {
			page, err := strconv.Atoi(r.URL.Query().Get("page"))
			if err != nil || page > len(c.sizes) {
				newsapitest.Fail(w, http.StatusBadRequest, "parameterInvalid", "said")
				return
			}
			articles := []string{}
			for i := range c.sizes[page-1] {
				articles = append(articles, fmt.Sprintf(`{"title":"Solar","url":"https://example.com/%d/%d"}`, page, i))
			}
			fmt.Fprintf(w, `{"status":"ok","totalResults":%d,"articles":[%s]}`, c.total, strings.Join(articles, ","))
		})
		want := 0
		for _, size := range c.sizes[:c.requests] {
			want += size
		}
		s := newSource(Settings{Kind: KindNewsAPI, URL: server.URL, Tags: []string{"solar"}, Pages: c.pages})
		r := polled(t, newPoller(t, k), s, time.Now())
		if r.err != nil || r.requests != c.requests || r.taken != (Taken{Created: want, Skipped: c.total - want}) {
			t.Errorf("%s: got %+v, want %d requests, %d created and the rest skipped", name, r, c.requests, want)
		}
	}
}

// TestTagRotation checks that, with a quota for two of three tags, each poll begins with the tags
// that were searched least recently.
func TestTagRotation(t *testing.T) {
	server := newsapitest.Start(t)
	p := newPoller(t, &taker{})
	s := newSource(Settings{Kind: KindNewsAPI, URL: server.URL, Interval: "10m", Tags: []string{"a", "b", "c"}, Quota: 2})
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for day := range 3 {
		polled(t, p, s, at.AddDate(0, 0, day))
	}
	var asked []string
	for _, query := range server.Asked() {
		asked = append(asked, strings.Trim(query.Get("q"), `"`))
	}
	if want := []string{"a", "b", "c", "a", "b", "c"}; !slices.Equal(asked, want) {
		t.Errorf("got searches for %v, want %v", asked, want)
	}
}

// TestPartialResultsAreAccepted checks that, if the search for the second tag fails, the results for the first
// are accepted, and the next poll begins with the second tag.
func TestPartialResultsAreAccepted(t *testing.T) {
	server, k := newsapitest.Start(t), &taker{}
	p := newPoller(t, k)
	server.Publish(article(1, "Solar and wind", time.Hour))
	s := newSource(Settings{Kind: KindNewsAPI, URL: server.URL, Interval: "10m", Tags: []string{"solar", "wind"}})
	server.Answer(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Query().Get("q"), "wind") {
			newsapitest.Fail(w, http.StatusInternalServerError, "unexpectedError", "said")
			return
		}
		fmt.Fprintf(w, `{"status":"ok","totalResults":1,"articles":[{"title":"Solar and wind","url":"https://example.com/1","publishedAt":%q}]}`, time.Now().Add(-time.Hour).UTC().Format(time.RFC3339))
	})
	at := time.Now()
	r := polled(t, p, s, at)
	if outcome, _ := r.outcome(); outcome != outcomeFailed || r.taken.Created != 1 || s.State.Used.Requests != 2 {
		t.Fatalf("got report %+v, used %+v, want a failure with 1 item and 2 requests", r, s.State.Used)
	}
	if _, wind := s.State.Watched["wind"]; wind || s.State.Watched["solar"].Newest.IsZero() {
		t.Errorf("got positions %+v, want one for solar only", s.State.Watched)
	}
	server.Answer(nil)
	if r := polled(t, p, s, s.State.NextPoll); r.err != nil || !strings.Contains(server.Asked()[2].Get("q"), "wind") {
		t.Errorf("got report %+v, request %v, want a search for wind", r, server.Asked()[2])
	}
}

// TestEngineFailure checks that items that an Assay backend does not accept are read again by the next
// poll, and do not count as a failure of the source.
func TestEngineFailure(t *testing.T) {
	server, k := newsapitest.Start(t), &taker{err: errors.New("full")}
	p := newPoller(t, k)
	server.Publish(article(1, "Solar", time.Hour))
	s := newSource(Settings{Kind: KindNewsAPI, URL: server.URL, Interval: "10m", Tags: []string{"solar"}})
	r := polled(t, p, s, time.Now())
	if outcome, ours := r.outcome(); outcome != outcomeEngine || !ours || s.State.Failures != 0 || len(s.State.Watched) != 0 {
		t.Errorf("got report %+v, state %+v, want a backend failure that does not count", r, s.State)
	}
	k.err = nil
	if r := polled(t, p, s, s.State.NextPoll); r.err != nil || len(k.items) != 1 {
		t.Errorf("got report %+v, want 1 item", r)
	}
}

// TestPanicEndsPoll checks that a panic counts as a failure of the source, so that polls become
// less frequent, and that requests that the poll may have sent are counted.
func TestPanicEndsPoll(t *testing.T) {
	server := newsapitest.Start(t)
	server.Publish(article(1, "Solar", time.Hour))
	s := newSource(Settings{Kind: KindNewsAPI, URL: server.URL, Interval: "10m", Tags: []string{"solar"}})
	r := polled(t, newPoller(t, &taker{panics: true}), s, noon)
	if outcome, ours := r.outcome(); outcome != outcomeFailed || ours || s.State.Failures != 1 || s.State.Used.Requests != 1 || !s.State.NextPoll.After(noon) {
		t.Errorf("got report %+v, state %+v, want a failure with 1 request and a later poll", r, s.State)
	}
}

// TestNoKey checks that without a key no request is sent, and no quota is used.
func TestNoKey(t *testing.T) {
	server := newsapitest.Start(t)
	s := newSource(Settings{Kind: KindNewsAPI, URL: server.URL, Tags: []string{"solar"}, Key: "ASSAY_NEWSAPI_KEY_2"})
	r := polled(t, newPoller(t, &taker{}), s, time.Now())
	if outcome, _ := r.outcome(); outcome != outcomeNoKey || len(server.Asked()) != 0 || s.State.Used.Requests != 0 {
		t.Errorf("got report %+v, used %+v, want outcome %s without requests", r, s.State.Used, outcomeNoKey)
	}
}

// TestItemsAreValid checks that every entry of a feed becomes a valid item or is skipped.
func TestItemsAreValid(t *testing.T) {
	long := strings.Repeat("long ", 5000)
	body := `<rss version="2.0"><channel><title>` + long + `</title>
<item><guid>` + long + `</guid><title>` + long + `</title><description>` + long + `</description><link>https://example.com/` + long + `</link><author>` + long + `</author></item>
<item><title>No id, no link</title></item>
<item><guid isPermaLink="false">tag:example.com,2026:é#?</guid><title>&lt;script&gt;x&lt;/script&gt;Odd</title><link>http://example.com/plain</link><pubDate>some day</pubDate></item>
<item><guid>empty</guid><description>&lt;img src="x"&gt;</description></item>
</channel></rss>`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }))
	t.Cleanup(server.Close)
	k := &taker{}
	tags := []string{"a", "b", "c", "d", "e", "f"}
	s := newSource(Settings{Kind: KindRSS, URL: server.URL, Tags: tags, Match: MatchAll})
	if r := polled(t, newPoller(t, k), s, time.Now()); r.err != nil || r.taken != (Taken{Created: 3, Skipped: 1, TagsDropped: 3}) {
		t.Fatalf("got report %+v, want 3 items created, 1 skipped and 3 tags dropped", r)
	}
	for _, item := range k.items {
		if wrong := check.Submission(item, time.Now(), KindRSS); len(wrong) != 0 {
			t.Errorf("%.200s: got invalid fields %v, want none", item.SourceID, wrong)
		}
		if !slices.Equal(item.MatchedTags, tags[:5]) || strings.ContainsAny(item.Text, "<>") || item.SourceURL != "" {
			t.Errorf("got tags %v, URL %q, text %.100s, want 5 tags, no URL and no markup", item.MatchedTags, item.SourceURL, item.Text)
		}
	}
}

// TestDeadlineEndsPoll checks that a server that does not respond does not block the source.
func TestDeadlineEndsPoll(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(server.Close)
	s := newSource(Settings{Kind: KindRSS, URL: server.URL, Tags: []string{"a"}})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	r := newPoller(t, &taker{}).poll(ctx, claimNow(t, s, noon))
	if outcome, _ := r.outcome(); outcome != outcomeFailed || errors.Is(r.err, fetch.ErrMalformed) {
		t.Errorf("got report %+v, want a failure other than a malformed response", r)
	}
}

// TestDamagedDocument checks that the whole entries of a document that was cut become items, that the poll says
// so, and that the document is read again.
func TestDamagedDocument(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", "1")
		fmt.Fprint(w, `<rss version="2.0"><channel><item><guid>1</guid><title>One</title></item><item><guid>2</guid><ti`)
	}))
	t.Cleanup(server.Close)
	s := newSource(Settings{Kind: KindRSS, URL: server.URL, Tags: []string{"a"}, Match: MatchAll})
	r := polled(t, newPoller(t, &taker{}), s, noon)
	if r.err != nil || r.taken.Created != 1 || s.State.Last.Detail != reason.FeedDamaged.Error() || s.State.Validators.ETag != "" || s.State.Failures != 0 {
		t.Errorf("got report %+v, state %+v, want one item, the remark and no validators", r, s.State)
	}
}

// TestOneIDManyEntries checks that entries that share an id but have different links become different items.
func TestOneIDManyEntries(t *testing.T) {
	server := httptest.NewServer(http.FileServer(http.Dir("syndication/testdata")))
	t.Cleanup(server.Close)
	k := &taker{}
	s := newSource(Settings{Kind: KindRSS, URL: server.URL + "/one-guid-ten-entries.xml", Tags: []string{"a"}, Match: MatchAll})
	r := polled(t, newPoller(t, k), s, noon)
	ids := map[string]bool{}
	for _, item := range k.items {
		ids[item.SourceID] = true
	}
	if r.err != nil || len(ids) != 10 {
		t.Errorf("got %d different items, report %+v, want 10", len(ids), r)
	}
}
