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
)

// ErrForbidden says that the NATS server does not let this user do what a call
// needs. No further attempt helps until the user's permissions are changed.
var ErrForbidden = errors.New("NATS forbids it")

// refusals ends the calls that the server refused. The server answers a
// forbidden request with nothing: it reports on the connection, and to its
// caller the request would look like one that takes too long.
type refusals struct {
	mu      sync.Mutex
	waiting map[*waiter]struct{}
}

// waiter is a call in hand.
type waiter struct {
	about []string // subjects of its requests, or names that are tokens of them
	end   context.CancelCauseFunc
}

// WithPermissionErrors ends ctx when the server refuses a request to the subject that the
// call is about, or to one with the name of a stream, consumer or bucket that
// it is about. The caller defers done, which makes the refusal the call's error.
func (c *Conn) WithPermissionErrors(ctx context.Context, about ...string) (_ context.Context, done func(*error)) {
	ctx, end := context.WithCancelCause(ctx)
	w := &waiter{about, end}
	c.refusals.mu.Lock()
	c.refusals.waiting[w] = struct{}{}
	c.refusals.mu.Unlock()
	return ctx, func(err *error) {
		c.refusals.mu.Lock()
		delete(c.refusals.waiting, w)
		c.refusals.mu.Unlock()
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
func (c *Conn) refusal(reported error) (subject string, err error) {
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
	return found[2], fmt.Errorf("%w: the user of %s may not %s %s", ErrForbidden, c.client, does, found[2])
}

// reported handles what the server reports beside its answers.
func (c *Conn) reported(err error) {
	subject, refused := c.refusal(err)
	if refused == nil {
		c.log.Error().Err(err).Msg("NATS reports an error")
		return
	}
	c.log.Error().Err(refused).Str("subject", subject).Msg("NATS refused a request")
	c.refusals.mu.Lock()
	defer c.refusals.mu.Unlock()
	tokens := strings.Split(subject, ".")
	for w := range c.refusals.waiting {
		if slices.ContainsFunc(w.about, func(about string) bool { return about == subject || slices.Contains(tokens, about) }) {
			w.end(refused)
		}
	}
}
