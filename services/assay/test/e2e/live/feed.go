package live

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// feedEventsResume: a reader of the feed's live events that is disconnected at any point and reconnects with its last
// event id receives every outcome of the feed once and in order, and no outcomes of files; a reader of one sentiment
// receives only outcomes with that sentiment.
func feedEventsResume(t *testing.T, s system.System) {
	const items, seed = 45, 17
	texts := []struct{ text, sentiment string }{
		{"The book was good.", "positive"}, {"Today SUX!", "negative"}, {"The table stands in the room.", "neutral"},
	}
	owner := system.NewOwner()
	c := s.Client(t, owner)
	ctx := system.Within(t)
	at := begin(t, c)

	want := map[string]string{} // sentiments of this test's items by source id
	var posts []system.Posting
	for i := range items {
		p := system.NewPosting(texts[i%len(texts)].text, system.NewTag())
		want[p.SourceID] = texts[i%len(texts)].sentiment
		posts = append(posts, p)
	}
	var sending sync.WaitGroup
	defer sending.Wait() // the goroutine uses t
	sending.Go(func() {
		system.Await(t, c, system.UploadMultipart(t, c, "beside.txt", "text/plain", []byte("beside")).FileID)
		for _, p := range posts {
			s.PostItem(t, p)
		}
	})

	random := rand.New(rand.NewPCG(seed, 0))
	all := followFeed(ctx, t, c, client.Following{Area: feed.Name, After: at}, want, func() int { return 1 + random.IntN(7) })
	checkFeed(t, all, want)
	negative := map[string]string{}
	for id, sentiment := range want {
		if sentiment == "negative" {
			negative[id] = sentiment
		}
	}
	some := followFeed(ctx, t, c, client.Following{Area: feed.Name, Filter: url.Values{"sentiment": {"negative"}}, After: at}, negative, func() int { return items })
	checkFeed(t, some, negative)
	for _, e := range some {
		if e.outcome.Sentiment == nil || e.outcome.Sentiment.Sentiment != "negative" {
			t.Errorf("the stream of negative outcomes contains %+v, want only negative ones", e.outcome)
		}
	}
	resp, body := s.Ask(t, http.MethodGet, "/v1/feed/events?sentiment=happy", nil, "")
	system.Refused(t, resp, body, http.StatusUnprocessableEntity, "invalid-request")
	resp, body = s.Ask(t, http.MethodGet, "/v1/feed/events", map[string]string{"Last-Event-ID": "x"}, "")
	system.Refused(t, resp, body, http.StatusUnprocessableEntity, "invalid-request")
	if e := first(ctx, t, c, client.Following{Area: feed.Name, After: "1000000000"}); e.Type != client.Resync {
		t.Errorf("for an unknown position, got %s, want %s", e.Type, client.Resync)
	}
}

// followFeed reads events until it has the outcomes of all items of want. It reads piece() outcomes per connection.
func followFeed(ctx context.Context, t *testing.T, c *client.Client, f client.Following, want map[string]string, piece func() int) []liveEvent {
	t.Helper()
	var all []liveEvent
	seen := map[string]bool{}
	for len(seen) < len(want) {
		left := piece()
		for e, err := range c.Events(ctx, f) {
			if err != nil || e.Type == client.Resync {
				t.Fatalf("after %d outcomes: %s, %v; want %d outcomes", len(seen), e.Type, err, len(want))
			}
			f.After = e.ID
			if e.Type == client.Ready {
				continue
			}
			event := liveEvent{position: mustPosition(t, e.ID), kind: e.Type}
			system.Decode(t, string(e.Data), &event.outcome)
			if all = append(all, event); want[event.outcome.ID] != "" {
				seen[event.outcome.ID] = true
			}
			if left--; left == 0 || len(seen) == len(want) {
				break
			}
		}
	}
	return all
}

// checkFeed checks that positions are ascending, that all events are of the feed, and that each item of want is reported
// once with its sentiment.
func checkFeed(t *testing.T, got []liveEvent, want map[string]string) {
	t.Helper()
	last, seen := uint64(0), map[string]int{}
	for _, e := range got {
		if e.position <= last || e.outcome.Area != "feed" {
			t.Errorf("got position %d of area %s, want a position of the feed after %d", e.position, e.outcome.Area, last)
		}
		last = e.position
		seen[e.outcome.ID]++
		if sentiment, mine := want[e.outcome.ID]; mine && (e.outcome.Sentiment == nil || e.outcome.Sentiment.Sentiment != sentiment) {
			t.Errorf("%s is reported as %+v, want %s", e.outcome.ID, e.outcome, sentiment)
		}
	}
	for id := range want {
		if seen[id] != 1 {
			t.Errorf("%s is reported %d times, want once", id, seen[id])
		}
	}
}
