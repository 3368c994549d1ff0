package live

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// liveEvent is an outcome that a reader of live events received.
type liveEvent struct {
	position uint64
	kind     string
	outcome  client.Outcome
}

// follow reads live events after f.After until it has n outcomes, and returns them and the id of the last event.
func follow(ctx context.Context, c *client.Client, f client.Following, n int) ([]liveEvent, string, error) {
	var got []liveEvent
	if n == 0 {
		return nil, f.After, nil
	}
	for e, err := range c.Events(ctx, f) {
		if err != nil {
			return got, f.After, err
		}
		f.After = e.ID
		if e.Type != client.CompletedEvent && e.Type != client.FailedEvent {
			if e.Type == client.Resync {
				return got, f.After, fmt.Errorf("resync at %s", e.ID)
			}
			continue
		}
		event := liveEvent{kind: e.Type}
		if err := json.Unmarshal(e.Data, &event.outcome); err != nil {
			return got, f.After, err
		}
		if event.position, err = position(e.ID); err != nil {
			return got, f.After, err
		}
		if got = append(got, event); len(got) == n {
			return got, f.After, nil
		}
	}
	return got, f.After, fmt.Errorf("the stream ended after %d of %d outcomes", len(got), n)
}

// first returns the first event of a stream.
func first(ctx context.Context, t *testing.T, c *client.Client, f client.Following) client.Event {
	t.Helper()
	for e, err := range c.Events(ctx, f) {
		if err != nil {
			t.Fatalf("the stream starts with %v, want an event", err)
		}
		return e
	}
	t.Fatal("the stream ended before its first event, want one")
	return client.Event{}
}

// begin returns the id of the first event of a new reader, which is the position at which it starts.
func begin(t *testing.T, c *client.Client) string {
	t.Helper()
	e := first(system.Within(t), t, c, client.Following{})
	if e.Type != client.Ready {
		t.Fatalf("the stream starts with %v, want %s", e, client.Ready)
	}
	return e.ID
}

// liveEventsResume: a reader that is disconnected at any point and reconnects with its last event id receives every
// outcome once and in order.
func liveEventsResume(t *testing.T, s system.System) {
	for _, seed := range []uint64{1, 2, 3} {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 8))
			const files = 60
			owner := system.NewOwner()
			c := s.Client(t, owner)
			ctx := system.Within(t)
			at := begin(t, c)
			first := at

			ends := make(chan map[string]string, 1)
			var uploading sync.WaitGroup
			defer uploading.Wait() // the goroutine uses t
			uploading.Go(func() { ends <- system.UploadMany(ctx, t, c, files) })
			var got []liveEvent
			for len(got) < files {
				var more []liveEvent
				var err error
				more, at, err = follow(ctx, c, client.Following{OwnerID: owner, After: at}, 1+random.IntN(min(9, files-len(got))))
				if err != nil {
					t.Fatalf("after %d outcomes: %v; want %d outcomes", len(got), err, files)
				}
				got = append(got, more...)
			}
			want := <-ends
			checkOutcomes(t, got, want, owner)

			// A reader from the start receives the same outcomes, and no others.
			again, _, err := follow(ctx, c, client.Following{OwnerID: owner, After: first}, files)
			if err != nil || !slices.EqualFunc(again, got, func(a, b liveEvent) bool { return a.position == b.position && a.outcome.ID == b.outcome.ID }) {
				t.Errorf("a reader from the start received %v, %v; want %v", again, err, got)
			}
			// A reader of all owners receives them too, without a gap in the positions.
			all, _, err := follow(ctx, system.OperatorClient(t, s.LiveOperator), client.Following{AllOwners: true, After: first}, int(got[files-1].position-mustPosition(t, first)))
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range all {
				if want := mustPosition(t, first) + uint64(i) + 1; e.position != want {
					t.Fatalf("position %d follows %d, want %d", e.position, want-1, want)
				}
			}
		})
	}
}

// checkOutcomes checks that each file is reported once, with its outcome, in ascending positions.
func checkOutcomes(t *testing.T, got []liveEvent, want map[string]string, owner string) {
	t.Helper()
	seen := map[string]bool{}
	last := uint64(0)
	for _, e := range got {
		switch {
		case e.position <= last:
			t.Errorf("position %d follows %d, want ascending positions", e.position, last)
		case seen[e.outcome.ID]:
			t.Errorf("%s is reported twice, want once", e.outcome.ID)
		case e.outcome.OwnerID != owner:
			t.Errorf("%s belongs to %s, want %s", e.outcome.ID, e.outcome.OwnerID, owner)
		case want[e.outcome.ID] != e.kind:
			t.Errorf("%s is reported as %s, want %q", e.outcome.ID, e.kind, want[e.outcome.ID])
		}
		seen[e.outcome.ID], last = true, e.position
	}
	if len(seen) != len(want) {
		t.Errorf("%d files are reported, want %d", len(seen), len(want))
	}
}

func mustPosition(t *testing.T, id string) uint64 {
	t.Helper()
	at, err := position(id)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// position returns the position in the stream of outcomes, which is the first part of an event id.
func position(id string) (uint64, error) {
	outcomes, _, _ := strings.Cut(id, "-")
	return strconv.ParseUint(outcomes, 10, 64)
}

// unknownPositionsResync: for a position that never existed in the stream, the server sends a resync event, and the
// reader continues from its id.
func unknownPositionsResync(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	ctx := system.Within(t)
	resynced, resumed := "", false
	var file client.File
	for e, err := range c.Events(ctx, client.Following{OwnerID: owner, After: "1000000000"}) {
		if err != nil {
			t.Fatal(err)
		}
		if resynced == "" {
			if e.Type != client.Resync || string(e.Data) != `{"lastEventId":"`+e.ID+`"}` {
				t.Fatalf("the first event is %s %s %s, want a resync with its own id", e.Type, e.ID, e.Data)
			}
			resynced = e.ID
			file = system.UploadMultipart(t, c, "after.txt", "text/plain", []byte("after"))
			continue
		}
		if e.Type != client.CompletedEvent || mustPosition(t, e.ID) <= mustPosition(t, resynced) {
			t.Errorf("the event after the resync is %s %s, want %s after %s", e.Type, e.ID, client.CompletedEvent, resynced)
		}
		resumed = true
		break
	}
	if !resumed {
		t.Fatalf("the stream ended after the resync %q, want a resync and an outcome", resynced)
	}
	got, _, err := follow(ctx, c, client.Following{OwnerID: owner, After: resynced}, 1)
	if err != nil || got[0].outcome.ID != file.FileID {
		t.Errorf("resumed at %s: got %v, %v; want the outcome of %s", resynced, got, err, file.FileID)
	}
	// The owner id is not shown to other callers.
	resp, body := s.Ask(t, http.MethodGet, "/v1/events", nil, "")
	system.Refused(t, resp, body, http.StatusBadRequest, "owner-required")
	for asking, shown := range map[string]bool{"": false, system.NewOwner(): false, owner: true} {
		resp, body := s.Ask(t, http.MethodGet, "/v1/files/"+file.FileID, map[string]string{"X-Owner-Id": asking}, "")
		if resp.StatusCode != http.StatusOK || strings.Contains(body, owner) != shown {
			t.Errorf("for owner %q: %d %s, want 200 and the owner shown = %t", asking, resp.StatusCode, body, shown)
		}
	}
	resp, body = s.Ask(t, http.MethodGet, "/v1/events?owner=a%20b", nil, "")
	system.Refused(t, resp, body, http.StatusUnprocessableEntity, "invalid-request")
}
