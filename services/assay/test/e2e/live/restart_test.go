package live

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestLiveEventsAcrossRestart: a reader that reconnects after a kill -9 and a graceful stop of the server receives every
// event exactly once; a reader whose position the stream has removed receives a resync.
func TestLiveEventsAcrossRestart(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir(), system.ShortLease)
	owner := system.NewOwner()
	c := s.Client(t, owner)
	ctx := system.Within(t)
	start := begin(t, c)
	const round = 15
	type reading struct {
		events []liveEvent
		err    error
	}
	read := make(chan reading, 1)
	go func() {
		events, _, err := follow(ctx, c, client.Following{OwnerID: owner, After: start}, 3*round)
		read <- reading{events, err}
	}()
	want := map[string]string{}
	for _, stop := range []func(){
		func() { s.Program.Kill(t); s.Restart(t) },
		func() {
			if status := s.Program.Interrupt(t); status != 0 {
				t.Errorf("after a graceful stop, the exit status is %d, want 0", status)
			}
			s.Restart(t)
		},
		func() {},
	} {
		for id, end := range system.UploadMany(ctx, t, c, round) {
			want[id] = end
		}
		stop()
	}
	got := <-read
	if got.err != nil {
		t.Fatal(got.err)
	}
	checkOutcomes(t, got.events, want, owner)

	dropOutcomes(ctx, t, s.System, got.events[round].position)
	s.Program.Kill(t)
	s.Restart(t) // loads the newest outcomes
	if e := first(ctx, t, c, client.Following{OwnerID: owner, After: start}); e.Type != client.Resync {
		t.Errorf("for a removed position, got %s %s, want %s", e.Type, e.ID, client.Resync)
	}
}

// dropOutcomes removes the outcomes before a position, as if they had reached their maximum age.
func dropOutcomes(ctx context.Context, t *testing.T, s system.System, before uint64) {
	t.Helper()
	stream, err := s.JetStream(t).Stream(ctx, "ASSAY_OUTCOMES")
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Purge(ctx, jetstream.WithPurgeSequence(before)); err != nil {
		t.Fatal(err)
	}
}

// TestLiveReadersAreBounded: a reader beyond the limit is rejected, and a reader that disconnects frees its slot, as
// does a HEAD request.
func TestLiveReadersAreBounded(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir(), "ASSAY_LIVE_READERS=1")
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	browser := http.Client{Transport: system.Checked(transport)}
	open := func(method string) (*http.Response, func()) {
		ctx, leave := context.WithCancel(system.Within(t))
		req, err := http.NewRequestWithContext(ctx, method, s.HTTP+"/v1/events?owner=anybody", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := browser.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(leave)
		return resp, func() { leave(); _ = resp.Body.Close() }
	}
	for _, method := range []string{http.MethodHead, http.MethodGet, http.MethodGet} {
		var leave func()
		system.Eventually(t, func() error {
			var resp *http.Response
			if resp, leave = open(method); resp.StatusCode != http.StatusOK {
				leave()
				return fmt.Errorf("%s returned %s, want 200", method, resp.Status)
			}
			return nil
		})
		if method == http.MethodGet {
			resp, body := s.Ask(t, method, "/v1/feed/events", nil, "")
			system.Refused(t, resp, body, http.StatusServiceUnavailable, "unavailable")
			if resp.Header.Get("Retry-After") == "" {
				t.Error("the response has no Retry-After header, want one")
			}
			leave()
		}
	}
}
