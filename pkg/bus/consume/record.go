package consume

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/attempt"
)

// recordTime limits the request that writes a record.
const recordTime = 3 * time.Second

// newLog returns the log of a consumer's attempts, nil for a process that does not declare
// the streams. newest is the sequence of the newest message when the consumer started.
func newLog(b *bus.Bus, c bus.Consumer, newest uint64, log zerolog.Logger) *attempt.Log {
	if !b.Declares() {
		return nil
	}
	subject := func(sequence uint64) string { return bus.AttemptSubject(c.Name, strconv.FormatUint(sequence, 10)) }
	return attempt.NewLog(attempt.Records{
		Read: func(ctx context.Context, sequence uint64) ([]byte, error) {
			msg, err := b.JS.LastMsg(ctx, bus.StreamAttempts, subject(sequence))
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			return msg.Data, nil
		},
		Write: func(ctx context.Context, sequence uint64, data []byte) error {
			ctx, cancel := context.WithTimeout(ctx, recordTime)
			defer cancel()
			if _, err := b.JS.PublishMsg(ctx, &nats.Msg{Subject: subject(sequence), Data: data}); err != nil {
				return fmt.Errorf("write %s: %w", subject(sequence), err)
			}
			return nil
		},
		Failed: func(m attempt.Message, err error) {
			log.Warn().Err(err).Str("consumer", c.Name).Str("id", m.Item).Msg("cannot log an attempt; only the server's delivery count applies")
		},
	}, newest, c.Parallel)
}
