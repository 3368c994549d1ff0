package live

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/web"
)

// patience is the timeout of every wait.
const patience = 30 * time.Second

// world is a live events server with its NATS server.
type world struct {
	*testing.T
	url, operator string
	hub           *Hub
	with          func(*Hub) // adds sources
	bus           *bus.Bus
	js            jetstream.JetStream
	log           *transcript
	http          *http.Client
	ctx           context.Context
}

// transcript records the log.
type transcript struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *transcript) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *transcript) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// open starts live events with a ring of the given number of entries.
func open(t *testing.T, cfg Config, entries int) *world {
	t.Helper()
	server := bustest.Open(t)
	log := &transcript{}
	b, err := bus.Connect(t.Context(), bustest.Settings(server.URL, bus.Config{}), "test", zerolog.New(log), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	w := &world{T: t, bus: b, js: server.JS, log: log}
	w.serve(cfg, entries)
	return w
}

// serve restarts live events, like another process on the same stream.
func (w *world) serve(cfg Config, entries int) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), 10*patience)
	w.hub = New(cfg, Options{Bus: w.bus, Log: zerolog.New(w.log), Registry: prometheus.NewRegistry()})
	if w.with != nil {
		w.with(w.hub)
	}
	w.hub.outcomes.ring = newRing(entries, ringBytes)
	w.hub.FilterBy("textfile", func(data []byte) any {
		var completed event.AnalysisCompleted
		if err := event.Unmarshal(data, &completed); err != nil {
			w.Error(err)
		}
		return completed.GetId()[:1]
	})
	var running sync.WaitGroup
	running.Go(func() {
		if err := w.hub.Run(ctx); err != nil {
			w.Error(err)
		}
	})
	listen := func(routes func(*web.Router), roles ...web.Role) string {
		router := web.NewRouter(web.Options{Log: zerolog.Nop(), Roles: roles})
		routes(router)
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			w.Fatal(err)
		}
		running.Go(func() {
			if err := web.Serve(ctx, listener, router, web.ServeOptions{}); err != nil {
				w.Error(err)
			}
		})
		return "http://" + listener.Addr().String()
	}
	w.url, w.operator = listen(w.routes), listen(w.hub.OperatorRoutes, web.Operator)
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	w.http, w.ctx = &http.Client{Transport: transport}, ctx
	w.Cleanup(func() {
		cancel()
		running.Wait()
		transport.CloseIdleConnections()
	})
}

// routes registers the streams of one owner and a stream of the area: the files whose ids start
// with a given letter.
func (w *world) routes(r *web.Router) {
	w.hub.Routes(r)
	w.hub.Handle(r, huma.Operation{
		OperationID: "files", Path: "/v1/files/events", Parameters: []*huma.Param{{Name: "begin", In: "query", Schema: text()}},
	}, func(r *http.Request) (Filter, error) {
		begin := r.URL.Query().Get("begin")
		if len(begin) > 1 {
			return Filter{}, web.Invalid(web.FieldError{Field: "query.begin", Message: "expected one letter"})
		}
		return Filter{Area: "textfile", Match: func(facet any) bool { return begin == "" || facet == begin }}, nil
	})
}

// publish publishes an outcome of a file.
func (w *world) publish(owner, id string) {
	w.Helper()
	if err := w.bus.Publish(w.ctx, outcome(owner, id)); err != nil {
		w.Fatal(err)
	}
}

func outcome(owner, id string) event.Event {
	return outcomeNamed(owner, id, id+strings.Repeat("x", 500))
}

func outcomeNamed(owner, id, name string) event.Event {
	return event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Area: "textfile", Id: id, OwnerId: owner, Name: name, CompletedAt: timestamppb.Now(),
	})
}

// stream is an open stream of live events.
type stream struct {
	w     *world
	lines *bufio.Scanner
	leave func()
}

// message is one event of a stream; without a name and data it is a heartbeat.
type message struct{ id, name, data string }

// ask opens a stream, or returns the response that rejects it.
func (w *world) ask(url, lastEventID string) (*http.Response, func(), error) {
	ctx, cancel := context.WithCancel(w.ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, cancel, err
	}
	if lastEventID != "" {
		req.Header.Set("Last-Event-ID", lastEventID)
	}
	resp, err := w.http.Do(req)
	if err != nil {
		return nil, cancel, err
	}
	return resp, func() { cancel(); _ = resp.Body.Close() }, nil // the rest of the body is not needed
}

func (w *world) open(url, lastEventID string) *stream {
	w.Helper()
	resp, leave, err := w.ask(url, lastEventID)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(leave)
	if resp.StatusCode != http.StatusOK {
		w.Fatalf("%s: got status %s, want 200", url, resp.Status)
	}
	return &stream{w: w, lines: bufio.NewScanner(resp.Body), leave: leave}
}

// next returns the next event and skips heartbeats.
func (s *stream) next() (message, error) {
	var m message
	for s.lines.Scan() {
		field, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch field {
		case "id":
			m.id = value
		case "event":
			m.name = value
		case "data":
			m.data = value
		case "":
			if s.lines.Text() == "" && m.name != "" {
				return m, nil
			}
		}
	}
	return m, errors.Join(io.ErrUnexpectedEOF, s.lines.Err())
}

// expect reads the next event and checks its name and, unless item is empty,
// its item.
func (s *stream) expect(name, item string) message {
	s.w.Helper()
	m, err := s.next()
	if err != nil || m.name != name || item != "" && !strings.Contains(m.data, `"id":"`+item+`"`) {
		s.w.Fatalf("got %+v, %v; want %s %s", m, err, name, item)
	}
	return m
}

// consumers returns the names of the consumers of the stream of outcomes.
func (w *world) consumers() (names []string) {
	w.Helper()
	s, err := w.js.Stream(w.ctx, bus.StreamOutcomes)
	if err != nil {
		w.Fatal(err)
	}
	list := s.ConsumerNames(w.ctx)
	for name := range list.Name() {
		names = append(names, name)
	}
	if list.Err() != nil {
		w.Fatal(list.Err())
	}
	return names
}

// eventually polls until look returns nil.
func (w *world) eventually(look func() error) {
	w.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := look()
		if err == nil {
			return
		}
		select {
		case <-deadline:
			w.Fatalf("after %s: %v", patience, err)
		case <-tick.C:
		}
	}
}
