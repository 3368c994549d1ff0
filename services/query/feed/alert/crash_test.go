package alert_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	alerts "github.com/assay-project/assay/pkg/feed/alert"
	"github.com/assay-project/assay/pkg/webhook"
	"github.com/assay-project/assay/services/query/feed/alert"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// mailbox collects events by id.
type mailbox struct {
	mu     sync.Mutex
	counts map[string]int
	came   chan webhook.Event // of new ids
}

func newMailbox() *mailbox {
	return &mailbox{counts: map[string]int{}, came: make(chan webhook.Event, 100)}
}

func (m *mailbox) emit(_ context.Context, e webhook.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts[e.ID]++; m.counts[e.ID] == 1 {
		m.came <- e
	}
	return nil
}

func (m *mailbox) ids() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.counts))
}

func apply(t *testing.T, d *dashboard.Dashboard, all ...arrival) {
	t.Helper()
	for _, a := range all {
		if err := d.Apply(t.Context(), dashboard.Image{Item: a.item}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestACrashLosesNoEvent: of a process that ends before or after it has emitted the event of an alert, the next one emits the event with the same
// id, and the state counts as notified.
func TestACrashLosesNoEvent(t *testing.T) {
	for name, emits := range map[string]int{"before the event is emitted": 1, "after the event is emitted": 2} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			store := set(t, db, map[string]alerts.Settings{"outage": {Kind: alerts.Match, Keyword: "outage", ResolveAfter: "0s"}})
			now := time.Now().UTC().Truncate(time.Minute).Add(10 * time.Second)
			o := options(db, &now)
			apply(t, o.Dashboard, arrive(1, now.Add(-time.Minute), "an outage", feed.Negative, "", "a"))
			box := newMailbox()
			for _, want := range []string{"firing", "resolved"} {
				ctx, crash := context.WithCancel(t.Context())
				o := options(db, &now)
				o.Emit = func(ctx context.Context, e webhook.Event) error {
					crash() // fails what follows
					if emits == 1 {
						return errors.New("the process has ended")
					}
					return box.emit(ctx, e)
				}
				if err := alert.New(o).Round(ctx); err == nil {
					t.Fatalf("%s: a round that ends: got no error", want)
				}
				crash()
				if s, err := store.State(t.Context(), "outage"); err != nil || s.Notified {
					t.Fatalf("%s: after the crash: got state %+v, error %v, want one that is not notified", want, s, err)
				}
				o = options(db, &now)
				o.Emit = box.emit
				next := alert.New(o)
				for range 2 {
					if err := next.Round(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				got := <-box.came
				s, err := store.State(t.Context(), "outage")
				if err != nil || !s.Notified || s.Turn() != want || got.ID != s.EventID("outage") || got.Type != "feed.alert."+want || !got.At.Equal(s.Since) {
					t.Errorf("got event %+v and state %+v, error %v, want %s", got, s, err, want)
				}
				if n := box.counts[got.ID]; n != emits {
					t.Errorf("%s: emitted %d times, want %d", want, n, emits)
				}
				now = now.Add(20 * time.Minute) // the item leaves the window
			}
			if ids := box.ids(); len(ids) != 2 {
				t.Errorf("got events %v, want two", ids)
			}
		})
	}
}

// TestOneOfTwoProcessesEvaluates: two processes with the same alerts emit each event once, also if the one that evaluates ends.
func TestOneOfTwoProcessesEvaluates(t *testing.T) {
	db := open(t)
	store := set(t, db, map[string]alerts.Settings{"outage": {Kind: alerts.Match, Tag: "a", Window: "3m", ResolveAfter: "0s"}})
	begun := time.Now()
	base := begun.UTC().Truncate(time.Minute)
	clock := func() time.Time { return base.Add(60 * time.Since(begun)) } // a minute a second
	board := options(db, &base).Dashboard
	box := newMailbox()
	stop := map[int]context.CancelFunc{}
	var running sync.WaitGroup
	defer running.Wait()
	by := make(chan int, 100)
	for n := range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stop[n] = cancel
		o := options(db, &base)
		o.Now, o.Lease = clock, time.Second
		o.Emit = func(ctx context.Context, e webhook.Event) error {
			by <- n
			return box.emit(ctx, e)
		}
		running.Go(func() { alert.New(o).Run(ctx) })
	}
	for i, want := range []string{"feed.alert.firing", "feed.alert.resolved", "feed.alert.firing"} {
		if i != 1 {
			apply(t, board, arrive(i, clock(), "text", feed.Neutral, "", "a"))
		}
		if e := <-box.came; e.Type != want {
			t.Fatalf("event %d: got %s, want %s", i, e.Type, want)
		}
		if who := <-by; i == 0 {
			for s, err := store.State(t.Context(), "outage"); !s.Notified; s, err = store.State(t.Context(), "outage") {
				if err != nil {
					t.Fatal(err)
				}
			}
			stop[who]()
			delete(stop, who)
		} else if stop[who] == nil {
			t.Errorf("event %d: the process that has ended emitted it", i)
		}
	}
	for id, n := range box.counts {
		if n != 1 {
			t.Errorf("%s was emitted %d times, want once", id, n)
		}
	}
}
