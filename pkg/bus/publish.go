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
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/outage"
)

var (
	// ErrFull means that a stream has reached its size limit. It is unrelated to admission; see Admit.
	ErrFull = errors.New("the stream is full")
	// ErrStorageFull means that the disk of the NATS server is full, or that all
	// streams together have reached their limit. It wraps syscall.ENOSPC.
	ErrStorageFull = fmt.Errorf("the storage of the NATS server is full: %w", syscall.ENOSPC)
	// ErrOutstanding means that another event of the same item is queued or
	// being processed.
	ErrOutstanding = errors.New("the item has work outstanding")
)

const (
	// publishBudget limits the total time of all attempts at one publish. A cluster elects a new
	// leader in about 4 s, so the budget is well above that.
	publishBudget = 15 * time.Second
	publishTry    = 3 * time.Second
	publishPause  = 250 * time.Millisecond
)

// Results of a publish, in metrics.
const (
	resultOK      = "ok"
	resultRefused = "refused"
	resultError   = "error"
)

// Types of messages other than events, in metrics.
const (
	typeDead   = "dead"
	typeReplay = "replay"
)

// send stores a message with the trace of ctx, and retries until its budget is used up. It reports
// whether the message was stored rather than dropped as a duplicate.
func (b *Bus) send(ctx context.Context, msg *nats.Msg, id, kind string) (stored bool, err error) {
	ctx, span := obs.Start(ctx, "publish "+kind, trace.WithSpanKind(trace.SpanKindProducer), trace.WithAttributes(
		semconv.MessagingSystemKey.String("nats"), semconv.MessagingOperationTypeSend, semconv.MessagingMessageID(id)))
	defer func() { obs.End(span, err) }()
	event.Trace(obs.TraceFrom(ctx)).Set(msg.Header)
	budget := publishBudget
	if left, bounded := outage.Left(ctx, outage.NATS); bounded {
		budget = min(budget, left)
	}
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	for {
		try, cancel := context.WithTimeout(ctx, publishTry)
		ack, err := b.JS.PublishMsg(try, msg, jetstream.WithMsgID(id))
		cancel()
		if err == nil {
			b.published.WithLabelValues(kind, resultOK).Inc()
			return !ack.Duplicate, nil
		}
		if refused := final(err); refused != nil {
			b.published.WithLabelValues(kind, resultRefused).Inc()
			return false, fmt.Errorf("publish %s: %w", id, refused)
		}
		if b.declares && errors.Is(err, jetstream.ErrNoStreamResponse) {
			b.redeclare(ctx)
		}
		select {
		case <-ctx.Done():
			b.published.WithLabelValues(kind, resultError).Inc()
			// Return both errors, so that callers recognize an unresponsive server as a timeout.
			return false, fmt.Errorf("publish %s: %w: %w", id, ctx.Err(), &outage.Error{Backend: outage.NATS, Err: err})
		case <-time.After(publishPause):
		}
	}
}

// Error codes of the server, from its errors.json: the storage of the server or of the account is used
// up.
const (
	codeServerFull  jetstream.ErrorCode = 10023
	codeAccountFull jetstream.ErrorCode = 10002
	// The subject unexpectedly has a message.
	codeSubjectTaken jetstream.ErrorCode = 10071
)

// final returns the error to report if a retry cannot fix err, otherwise nil. The server's errors for
// a limit of a stream under DiscardNew share a generic "store failed" code and differ only in their
// text.
func final(err error) error {
	if errors.Is(err, ErrForbidden) || errors.Is(err, nats.ErrMaxPayload) || errors.Is(err, nats.ErrConnectionClosed) {
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
	case says("no space left"), api.ErrorCode == codeServerFull, api.ErrorCode == codeAccountFull, api.ErrorCode == codeNoStorage:
		return ErrStorageFull
	}
	return nil
}
