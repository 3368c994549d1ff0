package live

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
)

var many = Config{Readers: 5000, PerClient: 5000}

// A reader receives only the outcomes of its owner, resumes without gaps or
// duplicates, and receives a first event as soon as it is connected.
func TestReadersResumeWithinTheirOwner(t *testing.T) {
	w := open(t, many, 16)
	mine, all := w.open(w.url+"/v1/events?owner=ann", ""), w.open(w.operator+"/v1/events", "")
	start := mine.expect("ready", "").id
	all.expect("ready", "")
	for i := range 200 { // much more than the ring holds
		w.publish("bob", fmt.Sprint("b", i))
		w.publish("ann", fmt.Sprint("a", i))
	}
	for i := range 200 {
		mine.expect("completed", fmt.Sprint("a", i))
		all.expect("completed", fmt.Sprint("b", i))
		all.expect("completed", fmt.Sprint("a", i))
	}
	for i, at := 0, start; i < 200; i += 40 {
		s := w.open(w.url+"/v1/events?owner=ann", at)
		if ready := s.expect("ready", ""); ready.id != at {
			t.Errorf("resume at %s: got ready at %s, want %s", at, ready.id, at)
		}
		for j := range 40 {
			at = s.expect("completed", fmt.Sprint("a", i+j)).id
		}
		s.leave()
	}
	if names := w.consumers(); len(names) != 1 {
		w.eventually(func() error {
			if names := w.consumers(); len(names) != 1 {
				return fmt.Errorf("got consumers %q, want 1", names)
			}
			return nil
		})
	}
}

// A new process loads the newest stored outcomes, so that readers that
// reconnect to it do not have to read the stream.
func TestNewProcessServesReturningReaders(t *testing.T) {
	w := open(t, many, 64)
	s := w.open(w.url+"/v1/events?owner=ann", "")
	at := s.expect("ready", "").id
	for i := range 40 {
		w.publish("ann", fmt.Sprint("a", i))
	}
	w.serve(many, 64)
	for range turns {
		w.hub.turns <- struct{}{}
	}
	s = w.open(w.url+"/v1/events?owner=ann", at)
	s.expect("ready", "")
	for i := range 40 {
		s.expect("completed", fmt.Sprint("a", i))
	}
}

func TestRemovedPositionsResync(t *testing.T) {
	w := open(t, many, 4)
	first := w.open(w.url+"/v1/events?owner=ann", "").expect("ready", "").id
	for i := range 20 {
		w.publish("ann", fmt.Sprint("a", i))
	}
	s, err := w.js.Stream(w.ctx, bus.StreamOutcomes)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(w.ctx, jetstream.WithPurgeSequence(10)); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{first, "8", "21", "18446744073709551615"} {
		again := w.open(w.url+"/v1/events?owner=ann", at)
		w.eventually(func() error { // the ring may be behind the stream
			if _, newest, _ := w.hub.outcomes.ring.bounds(); newest < 20 {
				return fmt.Errorf("the newest event of the ring is %d, want 20", newest)
			}
			return nil
		})
		if got := again.expect("resync", ""); got.data != `{"lastEventId":"`+got.id+`"}` {
			t.Errorf("after %s: got resync event %+v, want its id as lastEventId", at, got)
		}
	}
	s9 := w.open(w.url+"/v1/events?owner=ann", "9")
	s9.expect("ready", "")
	for i := 9; i < 20; i++ {
		s9.expect("completed", fmt.Sprint("a", i))
	}
}

// Outcomes that are removed from the stream before the ring has read them are a gap
// for all readers, each of which receives resync.
func TestGapInTheStreamResyncs(t *testing.T) {
	w := open(t, many, 16)
	s := w.open(w.url+"/v1/events?owner=ann", "")
	s.expect("ready", "")
	stream, err := w.js.Stream(w.ctx, bus.StreamOutcomes)
	if err != nil {
		t.Fatal(err)
	}
	few := stream.CachedInfo().Config
	few.MaxMsgs = 5
	if _, err := w.js.UpdateStream(w.ctx, few); err != nil {
		t.Fatal(err)
	}
	w.hub.outcomes.ring.mu.RLock() // the ring falls behind by more events than a tail buffers
	for i := range 1500 {
		w.publish("ann", fmt.Sprint("a", i))
	}
	w.hub.outcomes.ring.mu.RUnlock()
	w.eventually(func() error {
		if _, newest, _ := w.hub.outcomes.ring.bounds(); newest != 1500 {
			return fmt.Errorf("the newest event of the ring is %d, want 1500", newest)
		}
		return nil
	})
	w.publish("ann", "after")
	resyncs := 0
	for {
		m, err := s.next()
		if err != nil {
			t.Fatal(err)
		}
		if m.name == "resync" {
			resyncs++
		}
		if strings.Contains(m.data, `"id":"after"`) {
			break
		}
	}
	if resyncs == 0 {
		t.Error("got no resync event, want at least 1")
	}
}

// Page loads open and close streams in quick succession. None may leave a consumer behind, because
// the server allows only 1,000.
func TestThousandsOfPageLoads(t *testing.T) {
	w := open(t, many, 64)
	w.open(w.url+"/v1/events?owner=ann", "").expect("ready", "")
	for i := range 100 {
		w.publish("ann", fmt.Sprint("a", i))
	}
	var loads sync.WaitGroup
	for client := range 8 {
		loads.Go(func() {
			for i := range 300 {
				at := "" // one in three resumes, half of these from the stream
				if i%3 == 0 {
					at = strconv.Itoa(1 + (i%2)*90)
				}
				resp, leave, err := w.ask(w.url+"/v1/events?owner=ann", at)
				if err != nil || resp.StatusCode != http.StatusOK {
					t.Errorf("client %d, load %d: got %v, error %v, want status 200", client, i, resp, err)
				}
				leave()
			}
		})
	}
	loads.Wait()
	w.eventually(func() error {
		if names := w.consumers(); len(names) != 1 {
			return fmt.Errorf("got consumers %q, want 1", names)
		}
		for range many.PerClient - 1 {
			leave, err := w.hub.limiter.Enter("127.0.0.1:1")
			if err != nil {
				return err
			}
			defer leave()
		}
		return nil
	})
	s := w.open(w.url+"/v1/events?owner=ann", "")
	s.expect("ready", "")
	w.publish("ann", "last")
	s.expect("completed", "last")
}

// All readers of a process share one consumer.
func TestManyReadersShareOneConsumer(t *testing.T) {
	w := open(t, many, 64)
	const readers = 600
	var streams []*stream
	for i := range readers {
		s := w.open(fmt.Sprintf("%s/v1/events?owner=o%d", w.url, i%50), "")
		s.expect("ready", "")
		streams = append(streams, s)
	}
	if names := w.consumers(); len(names) != 1 {
		t.Errorf("with %d readers: got consumers %q, want 1", readers, names)
	}
	for i := range 50 {
		w.publish(fmt.Sprint("o", i), fmt.Sprint("f", i))
	}
	for i, s := range streams {
		s.expect("completed", fmt.Sprint("f", i%50))
	}
}

// A reader that does not consume its events does not delay others.
func TestSlowReadersDoNotDelayOthers(t *testing.T) {
	w := open(t, many, 8)
	for range 2 * turns {
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, "GET /v1/events?owner=ann HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 0\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	s := w.open(w.url+"/v1/events?owner=ann", "0")
	s.expect("ready", "")
	const outcomes = 300 // some MB for each reader, more than a connection buffers
	name := strings.Repeat("x", 8000)
	published := make(chan struct{})
	go func() {
		defer close(published)
		for i := range outcomes {
			if err := w.bus.Publish(w.ctx, outcomeNamed("ann", fmt.Sprint("a", i), name)); err != nil {
				t.Error(err)
			}
		}
	}()
	for i := range outcomes {
		s.expect("completed", fmt.Sprint("a", i))
	}
	<-published
}

// The loss of the consumer is logged and repaired, and no reader misses an outcome.
func TestLostConsumerIsRecreated(t *testing.T) {
	w := open(t, many, 64)
	s := w.open(w.url+"/v1/events?owner=ann", "")
	s.expect("ready", "")
	for i := range 5 {
		w.publish("ann", fmt.Sprint("a", i))
		for _, name := range w.consumers() {
			if err := w.js.DeleteConsumer(w.ctx, bus.StreamOutcomes, name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
				t.Fatal(err)
			}
		}
		w.publish("ann", fmt.Sprint("b", i))
		s.expect("completed", fmt.Sprint("a", i))
		s.expect("completed", fmt.Sprint("b", i))
	}
	if logged := w.log.String(); !strings.Contains(logged, "live events stopped") || !strings.Contains(logged, "live events resumed") {
		t.Errorf("got log %q, want it to report that live events stopped and resumed", logged)
	}
	if err := w.hub.Check(w.ctx); err != nil {
		t.Errorf("Check() = %v, want nil", err)
	}
}

// While the stream does not respond, the readiness check of live events fails.
func TestUnavailableLiveEventsAreNotReady(t *testing.T) {
	w := open(t, many, 64)
	w.open(w.url+"/v1/events?owner=ann", "").expect("ready", "")
	if err := w.js.DeleteStream(w.ctx, bus.StreamOutcomes); err != nil {
		t.Fatal(err)
	}
	w.eventually(func() error {
		if err := w.hub.Check(w.ctx); err == nil || !strings.Contains(err.Error(), "no live events for") || !strings.Contains(err.Error(), bus.StreamOutcomes) {
			return fmt.Errorf("without the stream: got error %v, want one that names the stream", err)
		}
		return nil
	})
	w.publish("ann", "back") // declares the streams again
	w.eventually(func() error { return w.hub.Check(w.ctx) })
}

func TestRejectedRequests(t *testing.T) {
	w := open(t, Config{Readers: 2, PerClient: 2}, 64)
	check := func(url, at string, status int, want string) {
		t.Helper()
		resp, leave, err := w.ask(url, at)
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		if resp.StatusCode != status {
			t.Fatalf("%s: got status %s, want %d", url, resp.Status, status)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s: got body %s, error %v, want it to contain %q", url, body, err, want)
		}
		if (status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests) && resp.Header.Get("Retry-After") == "" {
			t.Errorf("%s: got no Retry-After header, want one", url)
		}
	}
	check(w.url+"/v1/events", "", http.StatusBadRequest, "urn:assay:problem:owner-required")
	check(w.url+"/v1/events?owner=", "", http.StatusBadRequest, "query parameter owner")
	check(w.url+"/v1/events?owner=a%20b", "", http.StatusUnprocessableEntity, "query.owner")
	check(w.operator+"/v1/events?owner=a%20b", "", http.StatusUnprocessableEntity, "query.owner")
	check(w.url+"/v1/events?owner=ann", "x", http.StatusUnprocessableEntity, "header.Last-Event-ID")
	check(w.url+"/v1/files/events?begin=aa", "", http.StatusUnprocessableEntity, "query.begin")
	w.open(w.url+"/v1/events?owner=ann", "").expect("ready", "")
	leave, err := w.hub.limiter.Enter("192.0.2.1:1")
	if err != nil {
		t.Fatal(err)
	}
	check(w.url+"/v1/events?owner=bob", "", http.StatusServiceUnavailable, "This server has 2 open live event streams, which is the limit.")
	leave()
	w.open(w.url+"/v1/files/events", "").expect("ready", "")
	check(w.url+"/v1/events?owner=bob", "", http.StatusTooManyRequests, "This client has 2 open live event streams, which is the limit.")
}

// The position of an idle reader advances with the stream, so that it does not resume at its first position.
func TestIdleReadersAdvance(t *testing.T) {
	b := newRing(4, 1<<20)
	b.reset(100)
	mine := Filter{Owner: "quiet"}
	quiet := &cursor{after: 100, group: b.join(mine.key(), make(chan struct{}, 1))}
	for sequence := uint64(101); sequence <= 120; sequence++ {
		b.add(entry{sequence: sequence, owner: "loud", area: "textfile", frame: []byte("x")})
	}
	if out, reached := b.read(quiet, mine); reached != current || len(out.entries) != 0 || quiet.after != 120 {
		t.Errorf("an idle reader: got %d frames, position %d, progress %d, want 0, 120 and %d", len(out.entries), quiet.after, reached, current)
	}
	b.add(entry{sequence: 121, owner: "quiet", area: "textfile", frame: []byte("mine")})
	if out, reached := b.read(quiet, mine); reached != current || len(out.entries) != 1 || quiet.after != 121 {
		t.Errorf("an idle reader after its event: got %d frames, position %d, progress %d, want 1, 121 and %d", len(out.entries), quiet.after, reached, current)
	}
	b.reset(7) // a recreated stream
	if _, reached := b.read(quiet, mine); reached != gone {
		t.Errorf("after the stream was recreated: got progress %d at position %d, want %d", reached, quiet.after, gone)
	}
}
