package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// OldestWork returns when the oldest message was stored that a work stream holds of a
// subject, in which "*" stands for any token; ok is false when it holds none. Messages
// that are being worked on count too.
func (b *Bus) OldestWork(ctx context.Context, w Work, subject string) (stored time.Time, ok bool, err error) {
	stream, err := b.JS.Stream(ctx, w.Stream)
	if err != nil {
		return time.Time{}, false, fmt.Errorf("oldest of %s: %w", subject, err)
	}
	msg, err := stream.Msg(ctx, 1, jetstream.WithGetMsgSubject(storedSubject("*", "*", subject)))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return time.Time{}, false, nil
	}
	if err != nil {
		return time.Time{}, false, fmt.Errorf("oldest of %s: %w", subject, err)
	}
	return msg.Time, true, nil
}
