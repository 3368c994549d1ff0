package fair

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// server is a fake server that returns the counts set by the test.
type server struct {
	all, of int64
	err     error
	asked   int // number of queries for the total
	askedOf int // number of queries for a tenant
}

func (s *server) queue(l Limits) *Queue {
	return New(l, Counts{
		All: func(ctx context.Context) (int64, error) { s.asked++; return s.all, errors.Join(s.err, ctx.Err()) },
		Of:  func(context.Context, string) (int64, error) { s.askedOf++; return s.of, s.err },
	})
}

// TestTenantsAreBounded checks that the number of tenants in memory is limited, because clients can invent
// tenants at no cost.
func TestTenantsAreBounded(t *testing.T) {
	q := (&server{}).queue(Limits{Messages: 1 << 40})
	for n := range maxTenants + 100 {
		if p := q.Priority(t.Context(), fmt.Sprint(n)); p != 0 {
			t.Fatalf("the first message of a tenant has priority %d, want 0", p)
		}
	}
	if len(q.tenants.all) > maxTenants {
		t.Errorf("%d tenants are in memory, want at most %d", len(q.tenants.all), maxTenants)
	}
}

// TestServerIsQueriedOnlyIfNecessary checks that the server is queried about a tenant only if its estimate
// matters and the total backlog is not sufficient.
func TestServerIsQueriedOnlyIfNecessary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{}
		q := s.queue(Limits{Messages: 1000})
		for n := range 100 { // each is completed before the next
			if p := q.Priority(t.Context(), "ann"); p != 0 {
				t.Errorf("message %d has priority %d, want 0", n, p)
			}
			<-time.After(freshAge)
		}
		if s.askedOf != 0 || s.asked > 100/first+1 {
			t.Errorf("got %d queries for ann and %d for all, want 0 and at most %d", s.askedOf, s.asked, 100/first+1)
		}
		s.all, s.of = 100, 70 // most of the backlog belongs to ann
		<-time.After(askMost)
		for range first {
			q.Priority(t.Context(), "ann")
		}
		if p := q.Priority(t.Context(), "ann"); p != 2 || s.askedOf != 1 {
			t.Errorf("got priority %d after %d queries, want 2 after 1", p, s.askedOf)
		}
	})
}

// TestUnavailableServer checks that the estimate of the process applies if the server does not respond.
func TestUnavailableServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{err: errors.New("unavailable")}
		q := s.queue(Limits{Messages: 1000})
		last := 0
		for n := range 600 {
			last = q.Priority(t.Context(), "ann")
			if n == first-1 && last != 0 || n == first && last != 1 {
				t.Errorf("message %d: got priority %d, want %d", n, last, n-first+1)
			}
		}
		if last != Priorities-1 {
			t.Errorf("the last message: got priority %d, want the lowest", last)
		}
		if err := q.Admit(t.Context(), "ann"); !errors.Is(err, ErrBacklogUnknown) {
			t.Errorf("Admit: got error %v, want ErrBacklogUnknown", err)
		}
		if s.asked > 2 || s.askedOf > 2 {
			t.Errorf("the unavailable server was queried %d and %d times, want at most 2", s.asked, s.askedOf)
		}
	})
}

// TestUnresponsiveServer checks that a server that does not respond delays one caller by the timeout of a
// count, and that others get an error immediately.
func TestUnresponsiveServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Limits{Messages: 1000}, Counts{
			All: func(ctx context.Context) (int64, error) { <-ctx.Done(); return 0, ctx.Err() },
			Of:  func(ctx context.Context, _ string) (int64, error) { <-ctx.Done(); return 0, ctx.Err() },
		})
		began := time.Now()
		if err := q.Admit(t.Context(), "ann"); !errors.Is(err, ErrBacklogUnknown) || time.Since(began) != countTimeout {
			t.Errorf("the caller that counts: got error %v after %s, want ErrBacklogUnknown after %s", err, time.Since(began), countTimeout)
		}
		counting := make(chan error)
		<-time.After(freshAge)
		go func() { counting <- q.Admit(t.Context(), "ann") }()
		synctest.Wait()
		began = time.Now()
		if err := q.Admit(t.Context(), "bob"); !errors.Is(err, ErrBacklogUnknown) || time.Since(began) != 0 {
			t.Errorf("another caller during the count: got error %v after %s, want ErrBacklogUnknown immediately", err, time.Since(began))
		}
		if err := <-counting; !errors.Is(err, ErrBacklogUnknown) {
			t.Errorf("the second count: got error %v, want ErrBacklogUnknown", err)
		}
	})
}

// TestCountIsShared checks that other callers use a count too, because the client for which it is made may
// disconnect.
func TestCountIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{all: 5}
		q := s.queue(Limits{Messages: 10})
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for range 3 {
			if err := q.Admit(gone, ""); err != nil {
				t.Error(err)
			}
		}
		if s.asked != 1 {
			t.Errorf("the server was queried %d times, want once", s.asked)
		}
	})
}

// TestPublishedMessagesCount checks that messages that a process publishes are counted immediately, without a
// query.
func TestPublishedMessagesCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{}
		q := s.queue(Limits{Messages: 3})
		for n := range 3 {
			if err := q.Admit(t.Context(), fmt.Sprint(n)); err != nil {
				t.Errorf("message %d: got error %v, want nil", n, err)
			}
			q.Priority(t.Context(), fmt.Sprint(n))
		}
		s.all = 3
		if err := q.Admit(t.Context(), "more"); !errors.Is(err, ErrFull) {
			t.Errorf("one more: got error %v, want ErrFull", err)
		}
	})
}
