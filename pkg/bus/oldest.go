package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// OldestWork returns the time at which the oldest message of a subject in a work
// stream was stored. "*" in the subject matches any token. ok is false if there is no
// such message. Messages in progress count too.
func (b *Bus) OldestWork(ctx context.Context, w Work, subject string) (stored time.Time, ok bool, err error) {
	stream, err := b.JS.Stream(ctx, w.Stream)
	if err != nil {
		return time.Time{}, false, fmt.Errorf("oldest message of %s: %w", subject, err)
	}
	msg, err := stream.Msg(ctx, 1, jetstream.WithGetMsgSubject(storedSubject("*", "*", subject)))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return time.Time{}, false, nil
	}
	if err != nil {
		return time.Time{}, false, fmt.Errorf("oldest message of %s: %w", subject, err)
	}
	return msg.Time, true, nil
}
