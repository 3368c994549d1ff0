package consume

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
)

// record is the log's entry for the attempts at one message.
type record struct {
	Stored time.Time `json:"stored"` // time of the message; distinguishes it from one of a recreated stream, which counts sequences from 1 again
	Begun  int       `json:"begun"`  // attempts that began
	// Unended is the number of most recent attempts that began but did not end, because their
	// worker crashed or lost its connection to the server.
	Unended int `json:"unended"`
}

// suspectsPerSlot is the number of first deliveries per slot that are logged after a consumer
// starts, because the previous process may have crashed on them.
const suspectsPerSlot = 16

// records stores the records of one consumer.
type records struct {
	// read returns nil for a message without a record.
	read  func(ctx context.Context, sequence uint64) ([]byte, error)
	write func(ctx context.Context, sequence uint64, data []byte) error
	// failed is called with errors of read and write. The log then uses the server's count.
	failed func(bus.Delivery, error)
}

// attemptLog counts the attempts of one consumer. The server counts deliveries too, but writes the
// count late: if it crashes together with the worker, as in `assay serve`, an input that
// crashes both would never run out of attempts.
//
// A message has a record once it has been delivered again or returned; a suspect has one from its
// first delivery. Usually nothing is written. A nil attemptLog logs nothing.
type attemptLog struct {
	records  records
	newest   uint64
	suspects int64
	first    atomic.Int64
	// alone is a semaphore held by an attempt whose predecessor did not end: of several attempts
	// that crashed together, the one that caused the crash runs alone the next time.
	alone chan struct{}
}

// recordTime limits the request that writes a record.
const recordTime = 3 * time.Second

// newLog returns the log of a consumer's attempts, nil for a process that does not declare
// the streams. newest is the sequence of the newest message when the consumer started.
func newLog(b *bus.Bus, c bus.Consumer, newest uint64, log zerolog.Logger) *attemptLog {
	if !b.Declares() {
		return nil
	}
	subject := func(sequence uint64) string { return bus.AttemptSubject(c.Name, strconv.FormatUint(sequence, 10)) }
	return &attemptLog{newest: newest, suspects: int64(suspectsPerSlot * c.Parallel), alone: make(chan struct{}, 1), records: records{
		read: func(ctx context.Context, sequence uint64) ([]byte, error) {
			msg, err := b.JS.LastMsg(ctx, bus.StreamAttempts, subject(sequence))
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			return msg.Data, nil
		},
		write: func(ctx context.Context, sequence uint64, data []byte) error {
			ctx, cancel := context.WithTimeout(ctx, recordTime)
			defer cancel()
			if _, err := b.JS.PublishMsg(ctx, &nats.Msg{Subject: subject(sequence), Data: data}); err != nil {
				return fmt.Errorf("write %s: %w", subject(sequence), err)
			}
			return nil
		},
		failed: func(d bus.Delivery, err error) {
			log.Warn().Err(err).Str("consumer", c.Name).Str("id", d.Item).Msg("cannot log an attempt; only the server's delivery count applies")
		},
	}}
}

// entry is an attempt in progress. Its zero value logs nothing.
type entry struct {
	number  int // counted from 1, by the log
	log     *attemptLog
	message bus.Delivery
	before  record // the record before the attempt
	open    bool   // whether the beginning is logged but not the end
	release func() // releases alone; may be nil
}

// begin logs that an attempt at d begins, unless it is known to be the first. The caller calls end
// when the message is settled.
func (l *attemptLog) begin(ctx context.Context, d bus.Delivery) *entry {
	a := &entry{number: d.Attempt, log: l, message: d}
	if l == nil || d.Attempt == 1 && (d.Sequence > l.newest || l.first.Add(1) > l.suspects) {
		return a
	}
	if err := a.read(ctx); err != nil {
		l.records.failed(d, err)
		return &entry{number: d.Attempt} // revert would replace the record, which is unknown
	}
	if !a.before.Stored.IsZero() {
		// Not the server's count: it includes deliveries that were returned, and those whose worker
		// crashed while waiting to run alone.
		a.number = a.before.Begun + 1
	}
	if a.before.Unended > 0 {
		select {
		case l.alone <- struct{}{}:
			a.release = func() { <-l.alone }
		case <-ctx.Done():
			return a
		}
	}
	a.write(ctx, record{Begun: a.number, Unended: a.before.Unended + 1})
	a.open = true
	return a
}

// end ends an attempt. gone means that the message was removed from the stream.
func (a *entry) end(ctx context.Context, gone bool) {
	if a.open && !gone {
		a.write(ctx, record{Begun: a.number})
	}
	if a.release != nil {
		a.release()
	}
}

// revert undoes begin, so that the delivery does not count as an attempt. It is called before the
// message is returned: the next worker reads the record.
func (a *entry) revert(ctx context.Context) {
	if a.log != nil {
		a.write(ctx, record{Begun: a.number - 1, Unended: a.before.Unended})
		a.open = false
	}
}

// read sets a.before. It leaves it zero if the record belongs to another message.
func (a *entry) read(ctx context.Context) error {
	data, err := a.log.records.read(ctx, a.message.Sequence)
	if err != nil || data == nil {
		return err
	}
	var found record
	if json.Unmarshal(data, &found) == nil && found.Stored.Equal(a.message.Stored) {
		a.before = found
	}
	return nil
}

// write stores a record, even if the worker is shutting down.
func (a *entry) write(ctx context.Context, r record) {
	r.Stored = a.message.Stored
	data, err := json.Marshal(r)
	if err == nil {
		err = a.log.records.write(context.WithoutCancel(ctx), a.message.Sequence, data)
	}
	if err != nil {
		a.log.records.failed(a.message, err)
	}
}
