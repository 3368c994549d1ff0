package web_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"pgregory.net/rapid"

	"github.com/assay-project/assay/pkg/web"
)

func frame(t *testing.T, e web.Event) []byte {
	t.Helper()
	f, err := e.Frame()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestEventFraming(t *testing.T) {
	for want, event := range map[string]web.Event{
		"id: 7\nevent: file\ndata: {\"a\":1}\n\n":           {ID: "7", Name: "file", Data: []byte(`{"a":1}`)},
		"data: one\ndata: two\ndata: three\ndata: four\n\n": {Data: []byte("one\ntwo\r\nthree\rfour")},
		"event: resync\ndata: \n\n":                         {Name: "resync"},
	} {
		if got := string(frame(t, event)); got != want {
			t.Errorf("got\n%q\nwant\n%q", got, want)
		}
	}
	rec := httptest.NewRecorder()
	if _, err := web.OpenSSE(rec, httptest.NewRequest(http.MethodGet, "/", nil)); err != nil {
		t.Fatal(err)
	}
	if got := rec.Body.String(); got != ": connected\n\n" {
		t.Errorf("got stream %q, want the first comment only", got)
	}
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no",
	} {
		if got := rec.Header().Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestHeadRequestDoesNotWaitForEvents(t *testing.T) {
	rec := httptest.NewRecorder()
	_, err := web.OpenSSE(rec, httptest.NewRequest(http.MethodHead, "/", nil))
	if !errors.Is(err, web.ErrHead) || rec.Header().Get("Content-Type") != "text/event-stream" || rec.Body.Len() > 0 {
		t.Errorf("got error %v, header %v, body %q, want ErrHead, an event stream and no body", err, rec.Header(), rec.Body)
	}
}

func TestEventThatBreaksTheFramingIsRejected(t *testing.T) {
	for _, event := range []web.Event{{ID: "1\ndata: x"}, {Name: "a\rb"}, {ID: "\x00"}} {
		if _, err := event.Frame(); !errors.Is(err, web.ErrBadEvent) {
			t.Errorf("Frame of %q returned %v, want ErrBadEvent", event, err)
		}
	}
}

// errEnded ends the streams of these tests.
var errEnded = errors.New("the events ended")

// source supplies a stream with batches, in order.
type source struct {
	wake    chan struct{}
	batches chan web.Batch
}

func newSource() source { return source{make(chan struct{}, 1), make(chan web.Batch, 10)} }

// next returns the next batch, an empty one if there is none yet, and errEnded after the last.
func (s source) next() (web.Batch, error) {
	select {
	case batch, more := <-s.batches:
		if !more {
			return batch, errEnded
		}
		return batch, nil
	default:
		return web.Batch{}, nil
	}
}

// add adds a batch and wakes the stream.
func (s source) add(batch web.Batch) {
	s.batches <- batch
	s.wake <- struct{}{}
}

// streaming serves events at /events; the handler's result is sent on ended.
func streaming(t *testing.T, events source) (s *running, ended chan error) {
	t.Helper()
	ended = make(chan error, 1)
	router := web.NewRouter(web.Options{Log: zerolog.Nop()})
	router.Handle(operation(http.MethodGet, "/events"), func(w http.ResponseWriter, r *http.Request) {
		stream, err := web.OpenSSE(w, r)
		if err == nil {
			err = stream.Pump(events.wake, events.next)
		}
		ended <- err
	})
	return serve(t, router, web.ServeOptions{Drain: 10 * time.Second}), ended
}

func TestPumpSendsEventsAndHeartbeatsAndEndsOnDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := newSource()
		s, ended := streaming(t, events)
		answer, err := s.client.Get("http://localhost/events")
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(answer.Body)
		expect := func(want ...string) {
			t.Helper()
			for _, line := range want {
				if !lines.Scan() || lines.Text() != line {
					t.Fatalf("got line %q, error %v, want %q", lines.Text(), lines.Err(), line)
				}
			}
		}
		expect(": connected", "")
		one, two := frame(t, web.Event{ID: "1", Data: []byte("a")}), frame(t, web.Event{ID: "2", Data: []byte("b")})
		events.batches <- web.Batch{Frames: [][]byte{one}, More: true}
		events.add(web.Batch{Frames: [][]byte{two}})
		expect("id: 1", "data: a", "", "id: 2", "data: b", "")
		began := time.Now()
		expect(": heartbeat", "", ": heartbeat", "")
		if took := time.Since(began); took != 30*time.Second {
			t.Errorf("two heartbeats took %s, want 30s", took)
		}
		events.batches <- web.Batch{Position: "7"} // sent with the next heartbeat
		expect(": heartbeat", "id: 7", "")
		began = time.Now()
		s.stop()
		if lines.Scan() || lines.Err() != nil {
			t.Errorf("after the drain began: got line %q, error %v, want the end of the stream", lines.Text(), lines.Err())
		}
		if err := <-ended; err != nil {
			t.Errorf("Pump returned %v, want nil", err)
		}
		if err := <-s.done; err != nil {
			t.Errorf("Serve returned %v, want nil", err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("Serve returned after %s, want at most 1s", took)
		}
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestPumpEndsWhenTheEventsDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := newSource()
		events.batches <- web.Batch{Frames: [][]byte{frame(t, web.Event{Data: []byte("last")})}, More: true}
		close(events.batches)
		s, ended := streaming(t, events)
		answer, err := s.client.Get("http://localhost/events")
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, answer.Body); got != ": connected\n\ndata: last\n\n" {
			t.Errorf("got %q, want one event after the first comment", got)
		}
		if err := <-ended; !errors.Is(err, errEnded) {
			t.Errorf("Pump returned error %v, want errEnded", err)
		}
		s.client.CloseIdleConnections()
		s.end(t)
	})
}

func TestPumpEndsWhenTheClientLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ended := streaming(t, newSource())
		answer, err := s.client.Get("http://localhost/events")
		if err != nil {
			t.Fatal(err)
		}
		if err := answer.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Errorf("Pump returned %v, want nil", err)
		}
		s.end(t)
	})
}

func TestClientThatStopsReadingIsDisconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ended := streaming(t, newSource())
		conn, err := s.pipes.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := io.WriteString(conn, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the stream ended with %v, want os.ErrDeadlineExceeded", err)
		}
		if took := time.Since(began); took != 30*time.Second {
			t.Errorf("the client was disconnected after %s, want 30s", took)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		s.end(t)
	})
}

func TestDataRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.StringMatching(`[a: \n\r]{0,30}`).Draw(t, "data")
		sent, err := web.Event{ID: "1", Data: []byte(data)}.Frame()
		if err != nil {
			t.Fatal(err)
		}
		// Read as https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
		// requires: data lines joined by LF, up to one empty line that ends the event.
		block, rest, ended := strings.Cut(string(sent), "\n\n")
		var lines []string
		for line := range strings.SplitSeq(block, "\n") {
			if text, ok := strings.CutPrefix(line, "data: "); ok {
				lines = append(lines, text)
			} else if line != "id: 1" {
				t.Fatalf("got line %q, want id: 1", line)
			}
		}
		want := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(data)
		if got := strings.Join(lines, "\n"); got != want || !ended || rest != "" {
			t.Fatalf("%q: got %q, then %q, want %q, then nothing", data, got, rest, want)
		}
	})
}
