package source

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// A poll keeps its source for as long as it may last, and no longer, by the monotonic clock
// of those that wait for it.
func TestLeaseIsMeasuredByTheObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lease = 2 * time.Minute
		l, s := newLeases(lease), newSource(Settings{Kind: KindRSS, URL: "https://example.com", Interval: "10m", Tags: []string{"a"}})
		if !l.free(s) {
			t.Error("held by nobody")
		}
		for _, holder := range []string{"first", "second"} {
			s.State.Holder = holder
			for waited := time.Duration(0); waited < lease; waited += lease / 4 {
				if l.free(s) {
					t.Errorf("lost by %s after %s", holder, waited)
				}
				<-time.After(lease / 4)
			}
			if !l.free(s) {
				t.Errorf("held by %s after its lease", holder)
			}
		}
		s.State.Holder = ""
		if !l.free(s) || len(l.seen) != 0 {
			t.Errorf("a source that was given back is held: %v", l.seen)
		}
	})
}

// Two processes whose wall clocks differ by more than a lease do not poll a source at the
// same time; when one dies in its poll, the other takes over after a lease.
func TestClocksOfPollersDiffer(t *testing.T) {
	const lease = 300 * time.Millisecond
	db, _ := tabletest.Start(t)
	tables := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(tables).Tables); err != nil {
		t.Fatal(err)
	}
	store := NewStore(platform.NewStore(db, tables))
	process := func(ahead time.Duration) *Poller {
		p := New(Config{MinInterval: time.Minute, Lease: lease}, Options{Store: store, Log: zerolog.Nop(), Registry: obs.NewRegistry()})
		p.now = func() time.Time { return time.Now().Add(ahead) }
		return p
	}
	for name, ahead := range map[string]time.Duration{"ahead": 20 * time.Minute, "behind": -20 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			settings := Settings{Kind: KindNewsAPI, Enabled: true, Interval: "10m", Tags: []string{"a"}}.withDefaults()
			if _, err := store.update(t.Context(), name, func(s *Source, _ bool) error {
				s.change(settings, time.Now().Add(-time.Hour))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			first, second := process(0), process(ahead)
			poll, err := first.claim(t.Context(), name)
			if err != nil || poll.requests == 0 {
				t.Fatalf("the first process claims %+v, %v", poll, err)
			}
			began, tick := time.Now(), time.NewTicker(lease/20)
			defer tick.Stop()
			for {
				taken, err := second.claim(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				if waited := time.Since(began); taken.requests > 0 {
					if waited < lease {
						t.Errorf("taken over after %s, within the lease of %s", waited, lease)
					}
					break
				} else if waited > 20*time.Second {
					t.Fatal("not taken over")
				}
				<-tick.C
			}
			if again, err := first.claim(t.Context(), name); err != nil || again.requests != 0 {
				t.Errorf("the first process claims it again: %+v, %v", again, err)
			}
		})
	}
}
