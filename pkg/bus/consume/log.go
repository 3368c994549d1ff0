package consume

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
)

// suspectsPerSlot is the number of first deliveries per slot that are logged after a consumer
// starts, because the previous process may have crashed on them.
const suspectsPerSlot = 16

// records stores the records of one consumer.
type records struct {
	// read returns the zero value for a message without a record.
	read  func(context.Context, bus.Delivery) (bus.AttemptRecord, error)
	write func(context.Context, bus.Delivery, []byte) error
	// failed is called with errors of read and write. The log then uses the server's count.
	failed func(bus.Delivery, error)
}

// attemptLog counts the attempts of one consumer. The server counts deliveries too, but writes the
// count late: if it crashes together with the worker, as in `assay serve`, an input that
// crashes both would never run out of attempts.
//
// A message has a record once it has been delivered again or returned, an attempt has failed, or one takes long; a suspect has
// one from its first delivery. Usually nothing is written. A nil attemptLog logs nothing.
type attemptLog struct {
	records  records
	worker   string // see bus.Attempt
	newest   uint64
	suspects int64
	first    atomic.Int64
	// alone is a semaphore held by an attempt whose predecessor did not end: of several attempts
	// that crashed together, the one that caused the crash runs alone the next time.
	alone chan struct{}
}

// logAfter is the duration after which the beginning of a first attempt is logged.
const logAfter = 500 * time.Millisecond

// recordTime limits the request that writes a record.
const recordTime = 3 * time.Second

// newLog returns the log of a consumer's attempts, nil for a process that does not declare
// the streams. newest is the sequence of the newest message when the consumer started.
func newLog(b *bus.Bus, c bus.Consumer, newest uint64, log zerolog.Logger) *attemptLog {
	if !b.Declares() {
		return nil
	}
	host, err := os.Hostname()
	if err != nil {
		log.Debug().Err(err).Msg("the log of attempts contains no host name")
	}
	worker := fmt.Sprintf("%s %s/%d", b.Source(), host, os.Getpid())
	return &attemptLog{newest: newest, worker: worker, suspects: int64(suspectsPerSlot * c.Parallel), alone: make(chan struct{}, 1), records: records{
		read: func(ctx context.Context, d bus.Delivery) (bus.AttemptRecord, error) {
			found, err := b.AttemptsAt(ctx, c.Name, d.Sequence, d.Item, d.Stored)
			return found.AttemptRecord, err
		},
		write: func(ctx context.Context, d bus.Delivery, data []byte) error {
			ctx, cancel := context.WithTimeout(ctx, recordTime)
			defer cancel()
			subject := bus.AttemptSubject(c.Name, strconv.FormatUint(d.Sequence, 10), d.Item)
			if _, err := b.JS.PublishMsg(ctx, &nats.Msg{Subject: subject, Data: data}); err != nil {
				return fmt.Errorf("write %s: %w", subject, err)
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
	began   time.Time
	before  bus.AttemptRecord // the record before the attempt; zero if it was not read
	known   bool              // whether the record was read
	open    bool              // whether the beginning is logged but not the end
	release func()            // releases alone; may be nil

	mu      sync.Mutex  // held while the record is written
	slow    *time.Timer // logs the beginning of a first attempt; nil if it is logged at once
	settled bool        // whether the end, or a failure, is logged
}

// begin logs that an attempt at d begins, unless it is known to be the first. The caller calls end
// when the message is settled.
func (l *attemptLog) begin(ctx context.Context, d bus.Delivery) *entry {
	a := &entry{number: d.Attempt, log: l, message: d, began: time.Now()}
	if l == nil {
		return a
	}
	if d.Attempt == 1 && (d.Sequence > l.newest || l.first.Add(1) > l.suspects) {
		a.slow = time.AfterFunc(logAfter, func() { a.late(ctx) })
		return a
	}
	if !a.read(ctx) {
		return &entry{number: d.Attempt} // revert would replace the record, which is unknown
	}
	if a.before.Unended > 0 {
		select {
		case l.alone <- struct{}{}:
			a.release = func() { <-l.alone }
			a.began = time.Now()
		case <-ctx.Done():
			return a
		}
	}
	a.write(ctx, a.number, a.before.Unended+1, bus.Attempt{})
	a.open = true
	return a
}

// unbegun returns the entry of a delivery that this process does not attempt.
func (l *attemptLog) unbegun(d bus.Delivery) *entry {
	return &entry{number: 1, log: l, message: d, began: time.Now()}
}

// read reads the record before the attempt, and reports whether it could.
func (a *entry) read(ctx context.Context) bool {
	var err error
	if a.before, err = a.log.records.read(ctx, a.message); err != nil {
		a.log.records.failed(a.message, err)
		return false
	}
	if a.known = true; !a.before.Stored.IsZero() {
		// Not the server's count: it includes deliveries that were returned, and those whose worker
		// crashed while waiting to run alone.
		a.number = a.before.Begun + 1
	}
	return true
}

// late logs the beginning of a first attempt that takes long. It does not count as unended: if the worker crashes, the
// message need not run alone.
func (a *entry) late(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.settled {
		return
	}
	found, err := a.log.records.read(ctx, a.message)
	switch {
	case err != nil:
		a.log.records.failed(a.message, err)
	case found.Stored.IsZero(): // otherwise the server has lost its count, and the attempt has another number
		a.write(ctx, a.number, 0, bus.Attempt{})
		a.known, a.open = true, true
	}
}

// settle calls log unless nothing is logged, or the attempt is settled already. It prevents that the beginning is logged later.
func (a *entry) settle(log func()) {
	if a.log == nil {
		return
	}
	if a.slow != nil {
		a.slow.Stop()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.settled {
		a.settled = true
		log()
	}
}

// fail logs that the attempt has failed and that another one follows. It is called before the message is delayed: the next
// worker reads the record.
func (a *entry) fail(ctx context.Context, outcome string, reason error) {
	a.settle(func() {
		if a.known || a.read(ctx) {
			a.write(ctx, a.number, 0, ended(outcome, reason))
		}
	})
}

// end ends an attempt, and logs its end if its beginning is logged.
func (a *entry) end(ctx context.Context, outcome string, reason error) {
	a.settle(func() {
		if a.open {
			a.write(ctx, a.number, 0, ended(outcome, reason))
		}
	})
	if a.release != nil {
		a.release()
	}
}

// revert undoes begin, so that the delivery does not count as an attempt. It is called before the
// message is returned: the next worker reads the record.
func (a *entry) revert(ctx context.Context, outcome string, reason error) {
	a.settle(func() { a.write(ctx, a.number-1, a.before.Unended, ended(outcome, reason)) })
}

// leave is like revert, for a delivery that is left to a newer process. It writes nothing if the record already states the
// right number of attempts, because the message may be left many times. Without a record, the newer process would take the
// server's count for the number of attempts.
func (a *entry) leave(ctx context.Context, reason error) {
	a.settle(func() {
		if (a.known || a.read(ctx)) && (a.open || a.before.Stored.IsZero()) {
			a.write(ctx, a.number-1, a.before.Unended, ended(outcomeLeft, reason))
		}
	})
}

// maxReason is the maximum size of a logged error in bytes.
const maxReason = 300

func ended(outcome string, reason error) bus.Attempt {
	a := bus.Attempt{Ended: time.Now().UTC(), Outcome: outcome}
	if reason != nil {
		a.Reason = reason.Error()
		a.Reason = strings.ToValidUTF8(a.Reason[:min(len(a.Reason), maxReason)], "")
	}
	return a
}

// write stores the record of the attempts before this one, and of this one as it has ended, even if the worker is shutting down.
func (a *entry) write(ctx context.Context, begun, unended int, this bus.Attempt) {
	this.Number, this.Began, this.Worker = a.number, a.began.UTC(), a.log.worker
	all := append(a.before.Attempts[:len(a.before.Attempts):len(a.before.Attempts)], this)
	if last := len(all) - 2; last >= 0 && all[last].Number == a.number {
		all = slices.Delete(all, last, last+1) // a delivery that was returned
	}
	data, err := json.Marshal(bus.AttemptRecord{
		Stored: a.message.Stored, Begun: begun, Unended: unended, Attempts: all[max(0, len(all)-bus.MaxAttempts):],
	})
	if err == nil {
		err = a.log.records.write(context.WithoutCancel(ctx), a.message, data)
	}
	if err != nil {
		a.log.records.failed(a.message, err)
	}
}
