package feed

import (
	"context"
	"hash/maphash"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// cache stores encoded responses about the feed. Concurrent identical questions share one read. A
// response is used for at most age, counted from the start of its read, or until this process
// projects an item that affects it. Changes that another process projects, and items that leave a
// window, affect responses after at most age.
type cache struct {
	answers *otter.Cache[question, answer]
	age     time.Duration

	mu      sync.Mutex
	clock   uint64              // increases with every change
	changes [changeSlots]uint64 // by slot of a facet: value of the clock at the facet's last change
	seed    maphash.Seed
}

// changeSlots bounds the memory for facets. Responses about facets that share a slot are read again
// more often than necessary.
const changeSlots = 4096

const (
	cacheWeight = 64 << 20 // approximate bytes of cached responses
	answerBytes = 300      // approximate overhead of a response in addition to its body
)

// question contains everything that a response depends on.
type question struct {
	call   string
	query  dashboard.Query
	bucket time.Duration
	limit  int
	cursor string
}

// facet identifies the items that a response covers.
type facet struct{ attribute, value string }

func (q question) facet() facet {
	switch {
	case q.query.Tag != "":
		return facet{"tag", q.query.Tag}
	case q.query.Sentiment != "":
		return facet{"sentiment", q.query.Sentiment}
	}
	return facet{}
}

type answer struct {
	body  []byte // encoded
	seen  uint64 // value of the clock when the read began
	begun time.Time
}

// weight is the approximate size of a response in bytes.
func (a answer) weight() uint32 { return uint32(min(len(a.body)+answerBytes, cacheWeight)) }

// newCache returns nil, which caches nothing, if age is 0.
func newCache(age time.Duration) (*cache, error) {
	if age == 0 {
		return nil, nil
	}
	answers, err := otter.New(&otter.Options[question, answer]{
		MaximumWeight: cacheWeight, Weigher: func(_ question, a answer) uint32 { return a.weight() },
		ExpiryCalculator: otter.ExpiryWriting[question, answer](age),
	})
	if err != nil {
		return nil, err
	}
	return &cache{answers: answers, age: age, seed: maphash.MakeSeed()}, nil
}

// answer returns the response from the cache, or reads it. The response includes every change that
// was passed to changed before the call, and its read began at most age before the call.
func (c *cache) answer(ctx context.Context, q question, read func(context.Context) ([]byte, error)) ([]byte, error) {
	if c == nil {
		return read(ctx)
	}
	_, needed := c.at(q)
	oldest := time.Now().Add(-c.age)
	load := otter.LoaderFunc[question, answer](func(ctx context.Context, q question) (answer, error) {
		now, _ := c.at(q)
		begun := time.Now()
		body, err := read(ctx)
		return answer{body, now, begun}, err
	})
	for {
		got, err := c.answers.Get(ctx, q, load)
		if err != nil {
			return nil, err
		}
		if got.seen >= needed && !got.begun.Before(oldest) {
			return got.body, nil
		}
		c.answers.Invalidate(q)
	}
}

// at returns the value of the clock, now and at the last change to the data that q reads.
func (c *cache) at(q question) (now, last uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clock, c.changes[c.slot(q.facet())]
}

func (c *cache) slot(f facet) uint64 { return maphash.Comparable(c.seed, f) % changeSlots }

// changed records that the rows of these items were written or removed.
func (c *cache) changed(items []feed.Item) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	c.changes[c.slot(facet{})] = c.clock
	for _, item := range items {
		c.changes[c.slot(facet{"sentiment", item.Sentiment})] = c.clock
		for _, tag := range item.MatchedTags {
			c.changes[c.slot(facet{"tag", feed.FoldTag(tag)})] = c.clock
		}
	}
}

// close stops the goroutines of the cache.
func (c *cache) close() {
	if c != nil {
		c.answers.StopAllGoroutines()
	}
}
