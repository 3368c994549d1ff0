package source

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

var platformTable = platform.Config{Table: "assay-platform"}

// startStore returns a store on an empty table in a new engine, and a client of the engine.
func startStore(t *testing.T) (*Store, *dynamodb.Client) {
	t.Helper()
	db, _ := tabletest.Start(t)
	if err := table.EnsureAll(t.Context(), db, platform.Storage(platformTable).Tables); err != nil {
		t.Fatal(err)
	}
	return NewStore(platform.NewStore(db, platformTable)), db
}

// addDue adds a source whose first poll is due.
func addDue(t *testing.T, store *Store, name string, settings Settings) {
	t.Helper()
	if _, err := store.update(t.Context(), name, func(s *Source, _ bool) error {
		s.change(settings.withDefaults(), time.Now().Add(-time.Hour))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// A poll holds its source for the duration of a lease, as measured by the monotonic clocks of the
// waiting processes.
func TestLeaseIsMeasuredByTheObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lease = 2 * time.Minute
		l, s := newLeases(lease), newSource(Settings{Kind: KindRSS, URL: "https://example.com", Interval: "10m", Tags: []string{"a"}})
		if !l.free(s) {
			t.Error("a source without a poll: got free = false, want true")
		}
		for _, holder := range []string{"first", "second"} {
			s.State.Holder = holder
			for waited := time.Duration(0); waited < lease; waited += lease / 4 {
				if l.free(s) {
					t.Errorf("lease of %s after %s: got free = true, want false", holder, waited)
				}
				<-time.After(lease / 4)
			}
			if !l.free(s) {
				t.Errorf("lease of %s after its end: got free = false, want true", holder)
			}
		}
		s.State.Holder = ""
		if free := l.free(s); !free || len(l.seen) != 0 {
			t.Errorf("a released source: got free = %t, sightings %v, want true and none", free, l.seen)
		}
	})
}

// Two processes whose wall clocks differ by more than a lease do not poll a source at the same
// time. If one crashes during its poll, the other takes over after a lease.
func TestPollersWithDifferentClocks(t *testing.T) {
	const lease = 300 * time.Millisecond
	store, _ := startStore(t)
	process := func(ahead time.Duration) *Poller {
		p := New(Config{MinInterval: time.Minute, Lease: lease}, Options{Store: store, Log: zerolog.Nop(), Registry: obs.NewRegistry()})
		p.now = func() time.Time { return time.Now().Add(ahead) }
		return p
	}
	for name, ahead := range map[string]time.Duration{"ahead": 20 * time.Minute, "behind": -20 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			addDue(t, store, name, Settings{Kind: KindNewsAPI, Enabled: true, Interval: "10m", Tags: []string{"a"}})
			first, second := process(0), process(ahead)
			poll, err := first.claim(t.Context(), name)
			if err != nil || poll.requests == 0 {
				t.Fatalf("the first process: got claim %+v, error %v, want requests", poll, err)
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
						t.Errorf("got a takeover after %s, want none before the end of the lease of %s", waited, lease)
					}
					break
				} else if waited > 20*time.Second {
					t.Fatal("got no takeover by the second process, want one after the lease")
				}
				<-tick.C
			}
			if again, err := first.claim(t.Context(), name); err != nil || again.requests != 0 {
				t.Errorf("a second claim of the first process: got %+v, error %v, want no requests", again, err)
			}
		})
	}
}

// A shutdown while a claim is written does not leave the source claimed, which would delay its next
// poll by a lease.
func TestShutdownDuringClaim(t *testing.T) {
	store, db := startStore(t)
	addDue(t, store, "books", Settings{Kind: KindRSS, URL: "http://127.0.0.1:1", Enabled: true, Interval: "10m", Tags: []string{"a"}})
	ctx, shutdown := context.WithCancel(t.Context())
	interrupted := dynamodb.New(db.Options(), func(o *dynamodb.Options) {
		o.HTTPClient = interruptedWrites{shutdown}
	})
	p := New(Config{MinInterval: time.Minute, Lease: time.Hour}, Options{
		Store: NewStore(platform.NewStore(interrupted, platformTable)), Log: zerolog.Nop(), Registry: obs.NewRegistry(),
	})
	var polls sync.WaitGroup
	err := p.startDue(ctx, &polls)
	polls.Wait()
	if ctx.Err() == nil {
		t.Fatalf("got no write before the shutdown, error %v, want one", err)
	}
	if s, err := store.Get(t.Context(), "books"); err != nil || s.State.Holder != "" {
		t.Errorf("got holder %q, error %v, want none", s.State.Holder, err)
	}
}

// interruptedWrites calls shutdown when a write has taken effect. If this cancels the context of the
// request, the response is lost.
type interruptedWrites struct{ shutdown func() }

func (i interruptedWrites) Do(r *http.Request) (*http.Response, error) {
	client := http.Client{Timeout: time.Minute}
	response, err := client.Do(r.WithContext(context.WithoutCancel(r.Context())))
	if err == nil && !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".PutItem") {
		return response, nil
	}
	i.shutdown()
	if err == nil && r.Context().Err() != nil {
		return nil, errors.Join(r.Context().Err(), response.Body.Close())
	}
	return response, err
}
