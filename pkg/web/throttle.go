package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Rates are the request limits of an owner per process. 0 means no limit.
type Rates struct {
	Requests int64 // per second; also the burst after a pause
	Streams  int64 // open streams of live events
}

// Throttle limits the requests and the open streams of each owner, and of each client without an owner. It is safe
// for concurrent use. Its memory use is proportional to the requests received within two seconds and to the open
// streams.
type Throttle struct {
	of func(owner string) Rates

	mu      sync.Mutex
	now     func() time.Time
	turned  time.Time
	buckets map[string]*bucket // callers since the last rotation
	before  map[string]*bucket // callers in the previous period
	streams map[string]int64
}

// bucket contains a token for each request that a caller may make immediately.
type bucket struct {
	tokens float64
	at     time.Time
}

// NewThrottle returns a Throttle. of returns the rates of an owner; the owner is empty for a caller without one.
func NewThrottle(of func(owner string) Rates) *Throttle {
	return &Throttle{of: of, now: time.Now, buckets: map[string]*bucket{}, before: map[string]*bucket{}, streams: map[string]int64{}}
}

// forget is the minimum time for which a bucket stays in memory. It fills within a second, and a full bucket is
// equivalent to a new one.
const forget = time.Second

// admit counts a request under /v1/ and sets the fields RateLimit and RateLimit-Policy if the caller's rate is
// limited. It returns a 429 problem if the request exceeds the rate.
func (t *Throttle) admit(header http.Header, path string, caller Caller) error {
	if t == nil || !strings.HasPrefix(path, "/v1/") {
		return nil
	}
	rate := t.of(caller.Owner).Requests
	if rate == 0 {
		return nil
	}
	left, ok := t.take(caller.Tenant(), float64(rate))
	limit := RateLimit{Policy: "requests", Quota: rate, Remaining: int64(left), Window: time.Second, Reset: time.Second}
	if ok {
		limit.set(header)
		return nil
	}
	return NewProblem(http.StatusTooManyRequests, "too-many-requests",
		fmt.Sprintf("The owner has reached its quota of %d requests per second. Send fewer requests, or ask the operator for a larger quota.", rate)).
		WithHeader("Retry-After", seconds(time.Second)).WithRateLimit(limit)
}

// take removes a token of a caller and returns the number of remaining tokens.
func (t *Throttle) take(key string, rate float64) (left float64, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if now.Sub(t.turned) >= forget {
		t.before, t.buckets, t.turned = t.buckets, map[string]*bucket{}, now
	}
	b := t.buckets[key]
	if b == nil {
		if b = t.before[key]; b == nil {
			b = &bucket{tokens: rate, at: now}
		}
		t.buckets[key] = b
	}
	b.tokens, b.at = min(rate, b.tokens+now.Sub(b.at).Seconds()*rate), now
	if b.tokens < 1 {
		return 0, false
	}
	b.tokens--
	return b.tokens, true
}

type throttleKey struct{}

// streamRetry is the Retry-After for a stream above the quota.
const streamRetry = 5 * time.Second

// EnterStream counts an open stream of live events for the caller of a request; ctx is the context of its handler.
// The handler calls leave once. EnterStream returns a 429 problem if the caller has reached its quota.
func EnterStream(ctx context.Context) (leave func(), err error) {
	t, _ := ctx.Value(throttleKey{}).(*Throttle)
	caller := CallerOf(ctx)
	if t == nil {
		return func() {}, nil
	}
	limit := t.of(caller.Owner).Streams
	if limit == 0 {
		return func() {}, nil
	}
	key := caller.Tenant()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.streams[key] >= limit {
		return nil, NewProblem(http.StatusTooManyRequests, "quota-exceeded",
			fmt.Sprintf("The owner has %d open streams of live events, which is its quota. Close one, or ask the operator for a larger quota.", limit)).
			WithHeader("Retry-After", seconds(streamRetry)).WithRateLimit(RateLimit{Policy: "streams", Quota: limit, Unit: "concurrent-requests"})
	}
	t.streams[key]++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.streams[key]--; t.streams[key] == 0 {
			delete(t.streams, key)
		}
	}, nil
}

// RateLimit is a quota and its remaining amount, for the fields RateLimit-Policy and RateLimit
// (draft-ietf-httpapi-ratelimit-headers).
type RateLimit struct {
	Policy           string // name of the quota
	Quota, Remaining int64
	Window           time.Duration // window of the quota; 0 for none
	Reset            time.Duration // time until the quota is available again; 0 if waiting does not help
	Unit             string        // content-bytes or concurrent-requests; "" means requests, or items
}

func (l RateLimit) set(header http.Header) {
	policy := fmt.Sprintf("%q;q=%d", l.Policy, l.Quota)
	if l.Window > 0 {
		policy += ";w=" + seconds(l.Window)
	}
	if l.Unit != "" {
		policy += fmt.Sprintf(";qu=%q", l.Unit)
	}
	left := fmt.Sprintf("%q;r=", l.Policy) + strconv.FormatInt(l.Remaining, 10)
	if l.Reset > 0 {
		left += ";t=" + seconds(l.Reset)
	}
	header.Set("RateLimit-Policy", policy)
	header.Set("RateLimit", left)
}

// WithRateLimit sets the fields RateLimit and RateLimit-Policy of the response, and returns p.
func (p *Problem) WithRateLimit(l RateLimit) *Problem {
	if p.header == nil {
		p.header = http.Header{}
	}
	l.set(p.header)
	return p
}
