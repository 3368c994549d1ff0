package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Event is one event of a text/event-stream.
type Event struct {
	ID   string // for Last-Event-ID; only events that can be sent again after it carry one
	Name string // "" is the client's "message"
	Data []byte // sent line by line; lines end in LF, CR or CRLF
}

// ErrBadEvent is returned for an id or name that would break the stream's framing.
var ErrBadEvent = errors.New("web: event id or name holds a line break or NUL")

// ErrHead says that a HEAD request was answered, and is to have no events.
var ErrHead = errors.New("web: a HEAD request has no events")

// SSE writes one stream of live events. It is for one goroutine.
type SSE struct {
	// Heartbeat is the time between two comments that keep the connection alive; OpenSSE sets 15
	// seconds.
	Heartbeat time.Duration

	w       http.ResponseWriter
	control *http.ResponseController
	ctx     context.Context // the request's: the stream lives as long as it
}

// OpenSSE begins the answer: status, headers and a first comment are on their way when it returns, so
// that the client knows it is connected. It fails when the client is gone or w cannot flush, and with
// ErrHead for a request of the headers alone, which would otherwise wait for a body without end.
func OpenSSE(w http.ResponseWriter, r *http.Request) (*SSE, error) {
	s := &SSE{Heartbeat: 15 * time.Second, w: w, control: http.NewResponseController(w), ctx: r.Context()}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would hold events back
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil, ErrHead
	}
	return s, s.comment("connected")
}

// Send writes one event and flushes it.
func (s *SSE) Send(e Event) error {
	if strings.ContainsAny(e.ID+e.Name, "\r\n\x00") {
		return fmt.Errorf("%w: %q, %q", ErrBadEvent, e.ID, e.Name)
	}
	var out bytes.Buffer
	if e.ID != "" {
		fmt.Fprintf(&out, "id: %s\n", e.ID)
	}
	if e.Name != "" {
		fmt.Fprintf(&out, "event: %s\n", e.Name)
	}
	data := bytes.ReplaceAll(e.Data, []byte("\r\n"), []byte("\n"))
	data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		fmt.Fprintf(&out, "data: %s\n", line)
	}
	out.WriteByte('\n')
	return s.write(out.Bytes())
}

// comment writes a line that clients ignore. The text holds no line break.
func (s *SSE) comment(text string) error { return s.write([]byte(": " + text + "\n\n")) }

// Pump sends events until there are no more, the client is gone or the server drains, with
// heartbeats in between; these ends return nil. It does not drain the channel: the sender must stop
// by the request's context or when Pump returns.
func (s *SSE) Pump(events <-chan Event) error {
	heartbeat := time.NewTicker(s.Heartbeat)
	defer heartbeat.Stop()
	for {
		var err error
		select {
		case event, more := <-events:
			if !more {
				return nil
			}
			err = s.Send(event)
		case <-heartbeat.C:
			err = s.comment("heartbeat")
		case <-Draining(s.ctx):
			return nil
		case <-s.ctx.Done():
			return nil
		}
		switch {
		case err == nil:
		case s.ctx.Err() != nil:
			return nil
		default:
			return err
		}
	}
}

func (s *SSE) write(p []byte) error {
	// Without a deadline a client that stops reading would hold the stream forever.
	err := s.control.SetWriteDeadline(time.Now().Add(writePause))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("web: live events: %w", err)
	}
	if _, err := s.w.Write(p); err != nil {
		return fmt.Errorf("web: live events: %w", err)
	}
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("web: live events: %w", err)
	}
	return nil
}
