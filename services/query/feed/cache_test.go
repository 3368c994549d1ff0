package feed

import (
	"context"
	"errors"
	"hash/maphash"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// reader counts its reads.
type reader struct{ reads atomic.Int64 }

func (r *reader) read(context.Context) (int64, error) { return r.reads.Add(1), nil }

// answered returns the number in the cache's response.
func answered(t *testing.T, c *cache, q question, read func(context.Context) (int64, error)) (int64, error) {
	t.Helper()
	body, err := c.answer(t.Context(), q, func(ctx context.Context) ([]byte, error) {
		n, err := read(ctx)
		return strconv.AppendInt(nil, n, 10), err
	})
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(body), 10, 64)
}

func newTestCache(t *testing.T, ttl time.Duration) *cache {
	t.Helper()
	c, err := newCache(ttl)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	return c
}

// separate chooses a seed with which no two of the facets share a slot.
func (c *cache) separate(facets ...facet) {
	for slots := map[uint64]bool{}; len(slots) < len(facets); {
		clear(slots)
		c.seed = maphash.MakeSeed()
		for _, f := range facets {
			slots[c.slot(f)] = true
		}
	}
}

func TestResponsesAreCachedUntilTheirItemsChange(t *testing.T) {
	c := newTestCache(t, time.Hour)
	c.separate(facet{}, facet{"sentiment", feed.Negative}, facet{"sentiment", feed.Positive},
		facet{"tag", "other"}, facet{"tag", "x"}, facet{"tag", "a"})
	other := feed.Item{Sentiment: feed.Negative, MatchedTags: []string{"other"}}
	mine := feed.Item{Sentiment: feed.Positive, MatchedTags: []string{"x", "a"}}
	for name, each := range map[string]struct {
		q      question
		others int64 // reads caused by a change to another item
	}{
		"all":               {question{call: "list", query: dashboard.Query{Hours: 1}}, 1},
		"sentiment":         {question{call: "list", query: dashboard.Query{Hours: 1, Sentiment: feed.Positive}}, 0},
		"tag":               {question{call: "list", query: dashboard.Query{Hours: 1, Tag: "a"}}, 0},
		"tag and sentiment": {question{call: "list", query: dashboard.Query{Hours: 1, Tag: "a", Sentiment: feed.Positive}}, 0},
	} {
		var r reader
		for step, want := range []int64{1, 1, 1 + each.others, 1 + each.others, 2 + each.others, 2 + each.others} {
			switch step {
			case 2:
				c.changed([]feed.Item{other})
			case 4:
				c.changed([]feed.Item{mine})
			}
			got, err := answered(t, c, each.q, r.read)
			if err != nil || got != want {
				t.Errorf("%s, step %d: got %d reads, error %v; want %d reads", name, step, got, err, want)
			}
		}
	}
}

func TestQueriesAreCachedSeparately(t *testing.T) {
	c := newTestCache(t, time.Hour)
	var r reader
	for i, q := range []question{{call: "list"}, {call: "list", query: dashboard.Query{Hours: 2}}, {call: "list", query: dashboard.Query{SourceType: "rss"}}, {call: "list", limit: 1}, {call: "list", cursor: "c"}, {call: "series"}, {call: "series", bucket: time.Minute}} {
		if got, err := answered(t, c, q, r.read); err != nil || got != int64(i+1) {
			t.Errorf("%+v: got %d, error %v, want %d", q, got, err, i+1)
		}
	}
}

// A response that was being read during a change is not used for later requests.
func TestChangeDuringARead(t *testing.T) {
	c := newTestCache(t, time.Hour)
	began, proceed := make(chan struct{}), make(chan struct{})
	rows := atomic.Int64{}
	slow := func(context.Context) (int64, error) {
		seen := rows.Load()
		if seen == 0 {
			close(began)
			<-proceed
		}
		return seen, nil
	}
	var first sync.WaitGroup
	first.Go(func() {
		if got, err := answered(t, c, question{}, slow); err != nil || got != 0 {
			t.Errorf("got %d, error %v, want 0", got, err)
		}
	})
	<-began
	rows.Store(1)
	c.changed([]feed.Item{{}})
	close(proceed)
	first.Wait()
	if got, err := answered(t, c, question{}, slow); err != nil || got != 1 {
		t.Errorf("after the change: got %d, error %v, want 1", got, err)
	}
}

func TestEqualQueriesAreReadOnce(t *testing.T) {
	c := newTestCache(t, time.Hour)
	var reads atomic.Int64
	start := make(chan struct{})
	var callers sync.WaitGroup
	read := func(context.Context) (int64, error) { <-start; return reads.Add(1), nil }
	for range 50 {
		callers.Go(func() {
			if got, err := answered(t, c, question{}, read); err != nil || got != 1 {
				t.Errorf("got %d, error %v, want 1", got, err)
			}
		})
	}
	close(start)
	callers.Wait()
}

func TestErrorsAreNotCached(t *testing.T) {
	c := newTestCache(t, time.Hour)
	broken := errors.New("broken")
	if _, err := answered(t, c, question{}, func(context.Context) (int64, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("got error %v, want broken", err)
	}
	var r reader
	if got, err := answered(t, c, question{}, r.read); err != nil || got != 1 {
		t.Errorf("got %d, error %v, want 1", got, err)
	}
}

func TestCacheCanBeDisabled(t *testing.T) {
	c := newTestCache(t, 0)
	var r reader
	for want := range int64(3) {
		if got, err := answered(t, c, question{}, r.read); err != nil || got != want+1 {
			t.Errorf("got %d, error %v, want %d", got, err, want+1)
		}
		c.changed([]feed.Item{{}})
	}
}

func TestCachedResponsesExpire(t *testing.T) {
	c := newTestCache(t, 20*time.Millisecond)
	var r reader
	late := time.After(30 * time.Second)
	for {
		got, err := answered(t, c, question{}, r.read)
		if err != nil {
			t.Fatal(err)
		}
		if got > 1 {
			return
		}
		select {
		case <-late:
			t.Fatal("a response with a maximum age of 20 ms is still used after 30 s")
		case <-time.After(5 * time.Millisecond):
		}
	}
}
