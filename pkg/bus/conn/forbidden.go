package conn

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/rs/zerolog"
)

// ErrForbidden means that the NATS server does not let this user do what a call
// needs. No further attempt helps until the user's permissions are changed.
var ErrForbidden = errors.New("NATS denies permission")

// refusals ends the calls that the server refused. The server answers a
// forbidden request with nothing: it reports on the connection, and to its
// caller the request would look like one that takes too long.
type refusals struct {
	client string // whose permissions they are about
	log    zerolog.Logger

	mu      sync.Mutex
	waiting map[*waiter]struct{}
}

// waiter is a call in progress.
type waiter struct {
	about []string // subjects of its requests, or names that are tokens of them
	end   context.CancelCauseFunc
}

// WithPermissionErrors ends ctx when the server refuses a request to the subject that the
// call is about, or to one with the name of a stream, consumer or bucket that
// it is about. The caller defers done, which makes the refusal the call's error.
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

// refusedSubject finds what the server says of a refusal:
// Permissions Violation for Publish to "assay.dead.x".
var refusedSubject = regexp.MustCompile(`(?i)permissions violation for (publish|subscription) to "([^"]+)"`)

// refusal reads one out of what the server reports; nil for anything else.
func (r *refusals) refusal(reported error) (subject string, err error) {
	if !errors.Is(reported, nats.ErrPermissionViolation) {
		return "", nil
	}
	found := refusedSubject.FindStringSubmatch(reported.Error())
	if found == nil {
		return "", fmt.Errorf("%w: %w", ErrForbidden, reported)
	}
	does := "publish to"
	if strings.EqualFold(found[1], "subscription") {
		does = "subscribe to"
	}
	return found[2], fmt.Errorf("%w: the user of %s may not %s %s", ErrForbidden, r.client, does, found[2])
}

// reported handles what the server reports beside its answers.
func (r *refusals) reported(err error) {
	subject, refused := r.refusal(err)
	if refused == nil {
		r.log.Error().Err(err).Msg("NATS reported an error")
		return
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
