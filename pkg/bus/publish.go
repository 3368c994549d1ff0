package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus/conn"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/obs"
)

var (
	// ErrFull reports that a stream has reached its limit. It is not a matter of
	// admission: see Admit.
	ErrFull = errors.New("the stream is full")
	// ErrStorageFull says that the disk of the NATS server is full, or that all
	// streams together have reached their limit. It wraps syscall.ENOSPC.
	ErrStorageFull = fmt.Errorf("the storage of the NATS server is full: %w", syscall.ENOSPC)
	// ErrOutstanding says that another event of the same item is still with a
	// worker or waits for one.
	ErrOutstanding = errors.New("the item has work outstanding")
)

const (
	// publishBudget bounds all tries of one publish. A cluster elects a new
	// leader in about 4 s, so the budget is well above that.
	publishBudget = 15 * time.Second
	publishTry    = 3 * time.Second
	publishPause  = 250 * time.Millisecond
)

// Trace headers of every message.
const (
	headerRequestID = "assay-request-id"
	headerParent    = "traceparent"
	headerState     = "tracestate"
)

// Publish sends e and returns once the stream has it on disk. The same event
// published again within the duplicate window is kept once. It tries again
// while no stream leader answers, for 15 s or until ctx ends. However much work is
// waiting, it is not refused: see Admit. It returns ErrFull when the stream has reached
// its limit in bytes, ErrStorageFull when that of the server is used up, and
// ErrOutstanding when the stream holds work of the same item under another id. It
// returns at once conn.ErrForbidden when this user may not publish there,
// nats.ErrMaxPayload for an event that is larger than the server takes, and
// nats.ErrConnectionClosed after Close.
func (b *Bus) Publish(ctx context.Context, e event.Event) error {
	data, err := e.Marshal()
	if err != nil {
		return err
	}
	msg := &nats.Msg{Subject: e.Subject, Header: e.Headers("/" + b.source), Data: data}
	if q := b.workOf(e.Subject); q != nil {
		return q.publish(ctx, msg, e.ID, e.Type(), e.Tenant)
	}
	_, err = b.send(ctx, msg, e.ID, e.Type())
	return err
}

// Republish is Publish for an outcome that was probably published before: it
// sends nothing when the stream's newest event of the subject is this one,
// however long ago that was.
func (b *Bus) Republish(ctx context.Context, e event.Event) error {
	outcomes, err := b.JS.Stream(ctx, StreamOutcomes)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return b.Publish(ctx, e)
	}
	if err != nil {
		return err
	}
	newest, err := outcomes.LastMsg(ctx, e.Subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return b.Publish(ctx, e)
	}
	if err != nil {
		return fmt.Errorf("look for %s: %w", e.ID, err)
	}
	if envelope, err := event.ParseEnvelope(newest.Header); err == nil && envelope.ID == e.ID {
		return nil
	}
	return b.Publish(ctx, e)
}

// Message is a message of a Queue.
type Message struct {
	Subject string
	ID      string // the same id published again within the duplicate window is kept once
	Type    string // for metrics
	Data    []byte
}

// PublishMessage is Publish for a message that is no event.
func (b *Bus) PublishMessage(ctx context.Context, m Message) error {
	_, err := b.send(ctx, &nats.Msg{Subject: m.Subject, Header: nats.Header{}, Data: m.Data}, m.ID, m.Type)
	return err
}

// send reports whether the message was stored, and not dropped as a repeat.
func (b *Bus) send(ctx context.Context, msg *nats.Msg, id, kind string) (stored bool, err error) {
	trace := obs.TraceFrom(ctx)
	for _, h := range [...]struct{ name, value string }{{headerRequestID, trace.RequestID}, {headerParent, trace.Parent}, {headerState, trace.State}} {
		if h.value != "" {
			msg.Header[h.name] = []string{h.value}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, publishBudget)
	defer cancel()
	for {
		stored, err := b.try(ctx, msg, id)
		if err == nil {
			b.metrics.published.WithLabelValues(kind, "ok").Inc()
			return stored, nil
		}
		if refused := final(err); refused != nil {
			b.metrics.published.WithLabelValues(kind, "refused").Inc()
			return false, fmt.Errorf("publish %s: %w", id, refused)
		}
		if errors.Is(err, jetstream.ErrNoStreamResponse) {
			b.redeclare(ctx)
		}
		select {
		case <-ctx.Done():
			b.metrics.published.WithLabelValues(kind, "error").Inc()
			// Both, so that a server that does not answer is known as a timeout.
			return false, fmt.Errorf("publish %s: %w: %w", id, ctx.Err(), err)
		case <-time.After(publishPause):
		}
	}
}

func (b *Bus) try(ctx context.Context, msg *nats.Msg, id string) (stored bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, publishTry)
	defer cancel()
	ack, err := b.JS.PublishMsg(ctx, msg, jetstream.WithMsgID(id))
	if err != nil {
		return false, err
	}
	return !ack.Duplicate, nil
}

// Error codes of the server, from its errors.json: it, or the account, has used
// up the storage of all streams together.
const (
	codeServerFull  jetstream.ErrorCode = 10023
	codeAccountFull jetstream.ErrorCode = 10002
	codeStorageFull jetstream.ErrorCode = 10047
	// There is a message on a subject where none was expected.
	codeSubjectTaken jetstream.ErrorCode = 10071
)

// final knows the errors that no further try mends. The server's answers for a
// limit of a stream under DiscardNew share a generic "store failed" code and are
// told apart by their text only.
func final(err error) error {
	if errors.Is(err, conn.ErrForbidden) || errors.Is(err, nats.ErrMaxPayload) || errors.Is(err, nats.ErrConnectionClosed) {
		return err
	}
	api, ok := errors.AsType[*jetstream.APIError](err)
	if !ok {
		return nil
	}
	says := func(text string) bool { return strings.Contains(api.Description, text) }
	switch {
	case says("maximum messages per subject exceeded"), api.ErrorCode == codeSubjectTaken:
		return ErrOutstanding
	case says("maximum messages exceeded"), says("maximum bytes exceeded"):
		return ErrFull
	case says("no space left"), api.ErrorCode == codeServerFull, api.ErrorCode == codeAccountFull, api.ErrorCode == codeStorageFull:
		return ErrStorageFull
	}
	return nil
}
