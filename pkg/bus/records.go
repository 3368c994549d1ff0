package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus/attempt"
)

// attemptSubjects match the subjects of the records of attempts.
const attemptSubjects = "assay-attempt.>"

// newLog returns the log of a consumer's attempts, nil for a process that does not declare
// the streams.
func newLog(b *Bus, c Consumer, newest uint64) *attempt.Log {
	if !b.declares {
		return nil
	}
	subject := func(sequence uint64) string { return fmt.Sprintf("assay-attempt.%s.%d", c.Name, sequence) }
	return attempt.NewLog(attempt.Records{
		Read: func(ctx context.Context, sequence uint64) ([]byte, error) {
			return b.readRecord(ctx, subject(sequence))
		},
		Write: func(ctx context.Context, sequence uint64, data []byte) error {
			return b.writeRecord(ctx, subject(sequence), data)
		},
		Failed: func(m attempt.Message, err error) {
			b.log.Warn().Err(err).Str("consumer", c.Name).Str("id", m.Item).Msg("an attempt cannot be logged; the server's count alone holds")
		},
	}, newest, c.Parallel)
}

func (b *Bus) readRecord(ctx context.Context, subject string) ([]byte, error) {
	stream, err := b.JS.Stream(ctx, StreamAttempts)
	if err != nil {
		return nil, err
	}
	msg, err := stream.LastMsg(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", subject, err)
	}
	return msg.Data, nil
}

func (b *Bus) writeRecord(ctx context.Context, subject string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, publishTry)
	defer cancel()
	if _, err := b.JS.PublishMsg(ctx, &nats.Msg{Subject: subject, Data: data}); err != nil {
		return fmt.Errorf("write %s: %w", subject, err)
	}
	return nil
}
