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
	ID   string // value for Last-Event-ID; set only on events after which a client can resume
	Name string // type of the event; "" means the default type, "message"
	Data []byte // sent line by line; lines end in LF, CR or CRLF
}

// ErrBadEvent is returned for an id or name that would break the stream's framing.
var ErrBadEvent = errors.New("web: event id or name contains a line break or NUL")

// ErrHead is returned after the response to a HEAD request, which has no events.
var ErrHead = errors.New("web: a HEAD request has no events")

// SSE writes one stream of live events. It is not safe for concurrent use.
type SSE struct {
	// Heartbeat is the interval of the heartbeats that keep the connection alive; OpenSSE sets 15
	// seconds.
	Heartbeat time.Duration
	// Recheck is how often the caller's credential is checked; OpenSSE sets 1 second.
	Recheck time.Duration

	w       http.ResponseWriter
	control *http.ResponseController
	ctx     context.Context // context of the request; the stream ends with it
}

// OpenSSE begins the response. Status, headers and a first comment are flushed before it returns, so that the
// client can detect that it is connected. It fails when the client has disconnected or w cannot flush, and with
// ErrHead for a HEAD request, which would otherwise wait for an endless body.
func OpenSSE(w http.ResponseWriter, r *http.Request) (*SSE, error) {
	s := &SSE{Heartbeat: 15 * time.Second, Recheck: time.Second, w: w, control: http.NewResponseController(w), ctx: r.Context()}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would buffer events
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil, ErrHead
	}
	return s, s.write([]byte(": connected\n\n"))
}

// Frame returns the event in its wire format. Several streams can send the same frame. It returns ErrBadEvent if
// the id or name would break the framing.
func (e Event) Frame() ([]byte, error) {
	if strings.ContainsAny(e.ID+e.Name, "\r\n\x00") {
		return nil, fmt.Errorf("%w: %q, %q", ErrBadEvent, e.ID, e.Name)
	}
	var out bytes.Buffer
	out.Grow(len("id: \nevent: \ndata: \n\n") + len(e.ID) + len(e.Name) + len(e.Data)) // frames are kept in memory
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
	return out.Bytes(), nil
}

// Batch contains the events that a stream sends at one time.
type Batch struct {
	Frames [][]byte // made by Event.Frame
	More   bool     // more can be sent without waiting
	// Position is the id of the last event up to which the stream is complete. Heartbeats contain it, so that a
	// client without events resumes from there. Empty sends none.
	Position string
}

// Pump sends the batches that next returns. It calls next immediately while there is more, whenever wake has a
// value, and before each heartbeat. It returns nil when the client disconnects, its credential expires or the
// server drains, and otherwise the error of next or of a write.
func (s *SSE) Pump(wake <-chan struct{}, next func() (Batch, error)) error {
	heartbeat := time.NewTicker(s.Heartbeat)
	defer heartbeat.Stop()
	var recheck <-chan time.Time
	if credential := CallerOf(s.ctx).Credential; credential != nil && credential.Check != nil {
		ticker := time.NewTicker(s.Recheck)
		defer ticker.Stop()
		recheck = ticker.C
	}
	for beat := false; ; {
		select {
		case <-recheck:
			if s.expired() {
				return nil
			}
		default:
		}
		batch, err := next()
		switch {
		case err != nil:
		case len(batch.Frames) > 0:
			err = s.write(batch.Frames...)
		case beat && batch.Position != "":
			err = s.write([]byte(": heartbeat\nid: " + batch.Position + "\n\n"))
		case beat:
			err = s.write([]byte(": heartbeat\n\n"))
		}
		switch {
		case s.ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		beat = false
		if batch.More {
			select {
			case <-Draining(s.ctx):
				return nil
			case <-heartbeat.C:
				beat = true
			default:
			}
			continue
		}
		select {
		case <-wake:
		case <-heartbeat.C:
			beat = true
		case <-recheck:
			if s.expired() {
				return nil
			}
		case <-Draining(s.ctx):
			return nil
		case <-s.ctx.Done():
			return nil
		}
	}
}

// expired reports whether the caller's credential is no longer valid. While it cannot be verified, the stream
// continues.
func (s *SSE) expired() bool {
	p, refused := errors.AsType[*Problem](CallerOf(s.ctx).Credential.Check(s.ctx))
	return refused && p.Status == http.StatusUnauthorized
}

func (s *SSE) write(frames ...[]byte) error {
	// Without a deadline, a client that stops reading would block the stream forever.
	err := s.control.SetWriteDeadline(time.Now().Add(writePause))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("web: live events: %w", err)
	}
	for _, frame := range frames {
		if _, err := s.w.Write(frame); err != nil {
			return fmt.Errorf("web: live events: %w", err)
		}
	}
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("web: live events: %w", err)
	}
	return nil
}
