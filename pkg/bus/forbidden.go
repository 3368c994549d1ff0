package bus

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/outage"
)

// ErrForbidden means that the NATS server does not permit this user an
// operation that a call needs. A retry cannot succeed until the user's
// permissions are changed.
var ErrForbidden = errors.New("NATS denies permission")

// refusals aborts calls that the server does not permit. The server does not respond to such a
// request but reports the violation on the connection, so the caller would only see a timeout.
type refusals struct {
	client string // the connecting program
	log    zerolog.Logger

	mu      sync.Mutex
	waiting map[*waiter]struct{}
}

// waiter is a call in progress.
type waiter struct {
	about []string // subjects of its requests, or names that occur as tokens in them
	end   context.CancelCauseFunc
}

// WithPermissionErrors cancels ctx if the server denies a request to one of the given subjects, or
// to a subject that contains a given stream, consumer or bucket name as a token. The caller defers
// done, which replaces the call's error with ErrForbidden.
func (r *refusals) WithPermissionErrors(ctx context.Context, about ...string) (_ context.Context, done func(*error)) {
	ctx, end := context.WithCancelCause(ctx)
	w := &waiter{about, end}
	r.mu.Lock()
	r.waiting[w] = struct{}{}
	r.mu.Unlock()
	return ctx, func(err *error) {
		r.mu.Lock()
		delete(r.waiting, w)
		r.mu.Unlock()
		if cause := context.Cause(ctx); *err != nil && errors.Is(cause, ErrForbidden) {
			*err = cause
		}
		end(nil)
	}
}

// call is like WithPermissionErrors, and limits the time of a call whose context is bounded. done marks the error of a
// call to which the server did not respond.
func (r *refusals) call(caller context.Context, about ...string) (_ context.Context, done func(*error)) {
	ctx, permitted := r.WithPermissionErrors(caller, about...)
	stop, began := func() {}, time.Now()
	if left, bounded := outage.Left(caller, outage.NATS); bounded {
		ctx, stop = context.WithTimeout(ctx, left)
	}
	return ctx, func(err *error) {
		permitted(err)
		stop()
		lost := caller.Err() == nil && unanswered(*err)
		outage.Ended(caller, outage.NATS, began, !lost)
		if lost {
			*err = &outage.Error{Backend: outage.NATS, Err: *err}
		}
	}
}

// unanswered reports whether the server did not respond to a call, or cannot serve it now.
func unanswered(err error) bool {
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		return api.Code >= http.StatusInternalServerError && api.ErrorCode == CodeNoLeader
	}
	return slices.ContainsFunc([]error{
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrConnectionClosed, nats.ErrDisconnected,
		nats.ErrConnectionReconnecting, nats.ErrReconnectBufExceeded, jetstream.ErrNoStreamResponse, jetstream.ErrJetStreamNotEnabled,
	}, func(one error) bool { return errors.Is(err, one) })
}

// CodeNoLeader is the server's code while JetStream, or a stream or consumer, has no leader.
const CodeNoLeader jetstream.ErrorCode = 10008

// refusedSubject matches the server's report of a denied request: Permissions
// Violation for Publish to "assay.dead.x".
var refusedSubject = regexp.MustCompile(`(?i)permissions violation for (publish|subscription) to "([^"]+)"`)

// reported handles errors that the server reports on the connection.
func (r *refusals) reported(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		r.log.Error().Err(err).Msg("NATS reported an error")
		return
	}
	subject, refused := "", fmt.Errorf("%w: %w", ErrForbidden, err)
	if found := refusedSubject.FindStringSubmatch(err.Error()); found != nil {
		does := "publish to"
		if strings.EqualFold(found[1], "subscription") {
			does = "subscribe to"
		}
		subject, refused = found[2], fmt.Errorf("%w: the user of %s may not %s %s", ErrForbidden, r.client, does, found[2])
	}
	r.log.Error().Err(refused).Str("subject", subject).Msg("NATS rejected a request")
	r.mu.Lock()
	defer r.mu.Unlock()
	tokens := strings.Split(subject, ".")
	for w := range r.waiting {
		if slices.ContainsFunc(w.about, func(about string) bool { return about == subject || slices.Contains(tokens, about) }) {
			w.end(refused)
		}
	}
}
