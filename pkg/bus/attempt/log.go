package attempt

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"
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

// Message is one delivery of a message.
type Message struct {
	Item      string // the id of the item, for error reports
	Sequence  uint64
	Stored    time.Time
	Delivered int // number of deliveries according to the server
}

// Records stores the records of one consumer.
type Records struct {
	// Read returns nil for a message without a record.
	Read  func(ctx context.Context, sequence uint64) ([]byte, error)
	Write func(ctx context.Context, sequence uint64, data []byte) error
	// Failed is called with errors of Read and Write. The log then uses the server's count.
	Failed func(Message, error)
}

// Log counts the attempts of one consumer. The server counts deliveries too, but writes the
// count late: if it crashes together with the worker, as in `assay serve`, an input that
// crashes both would never run out of attempts.
//
// A message has a record once it has been delivered again or returned; a suspect has one from its
// first delivery. Usually nothing is written. A nil Log logs nothing.
type Log struct {
	records  Records
	newest   uint64
	suspects int64
	first    atomic.Int64
	// alone is a semaphore held by an attempt whose predecessor did not end: of several attempts
	// that crashed together, the one that caused the crash runs alone the next time.
	alone chan struct{}
}

// NewLog returns the log of a consumer that works on parallel messages concurrently.
// newest is the sequence of the newest message when the consumer started.
func NewLog(records Records, newest uint64, parallel int) *Log {
	return &Log{records: records, newest: newest, suspects: int64(suspectsPerSlot * parallel), alone: make(chan struct{}, 1)}
}

// Attempt is an attempt in progress. Its zero value logs nothing.
type Attempt struct {
	Number  int // counted from 1, by the log
	log     *Log
	message Message
	before  record // the record before the attempt
	open    bool   // whether the beginning is logged but not the end
	release func() // releases alone; may be nil
}

// Begin logs that an attempt at m begins, unless it is known to be the first. The caller calls End
// when the message is settled.
func (l *Log) Begin(ctx context.Context, m Message) *Attempt {
	a := &Attempt{Number: m.Delivered, log: l, message: m}
	if l == nil || m.Delivered == 1 && (m.Sequence > l.newest || l.first.Add(1) > l.suspects) {
		return a
	}
	if err := a.read(ctx); err != nil {
		l.records.Failed(m, err)
		return &Attempt{Number: m.Delivered} // Revert would replace the record, which is unknown
	}
	if !a.before.Stored.IsZero() {
		// Not the server's count: it includes deliveries that were returned, and those whose worker
		// crashed while waiting to run alone.
		a.Number = a.before.Begun + 1
	}
	if a.before.Unended > 0 {
		select {
		case l.alone <- struct{}{}:
			a.release = func() { <-l.alone }
		case <-ctx.Done():
			return a
		}
	}
	a.write(ctx, record{Begun: a.Number, Unended: a.before.Unended + 1})
	a.open = true
	return a
}

// End ends an attempt. gone means that the message was removed from the stream.
func (a *Attempt) End(ctx context.Context, gone bool) {
	if a.open && !gone {
		a.write(ctx, record{Begun: a.Number})
	}
	if a.release != nil {
		a.release()
	}
}

// Revert undoes Begin, so that the delivery does not count as an attempt. It is called before the
// message is returned: the next worker reads the record.
func (a *Attempt) Revert(ctx context.Context) {
	if a.log != nil {
		a.write(ctx, record{Begun: a.Number - 1, Unended: a.before.Unended})
		a.open = false
	}
}

// read sets a.before. It leaves it zero if the record belongs to another message.
func (a *Attempt) read(ctx context.Context) error {
	data, err := a.log.records.Read(ctx, a.message.Sequence)
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
func (a *Attempt) write(ctx context.Context, r record) {
	r.Stored = a.message.Stored
	data, err := json.Marshal(r)
	if err == nil {
		err = a.log.records.Write(context.WithoutCancel(ctx), a.message.Sequence, data)
	}
	if err != nil {
		a.log.records.Failed(a.message, err)
	}
}
