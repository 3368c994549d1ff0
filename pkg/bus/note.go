package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// note is what is known of the attempts at one message, kept in a stream of its
// own. The server counts deliveries too, but writes the count late: when it dies
// with the worker, as in `assay serve`, an input that kills both within a moment
// would never run out of attempts.
type note struct {
	Stored time.Time `json:"stored"` // of the message; streams that were lost number anew
	Begun  int       `json:"begun"`  // attempts
	// Unended is how many of the last attempts began and did not end: their
	// worker died, or was cut off from the server.
	Unended int `json:"unended"`
}

// noteSubjects are where notes are kept.
const noteSubjects = "assay-attempt.>"

// noted is how many first deliveries after the start of Consume are taken for ones
// that the last process may have died of, for each place.
const noted = 16

// notes keeps the notes of one consumer. A message has one from its second
// delivery on, and once it was given back; and those that waited at the start and
// come first, since the process before may have died of them. So in the usual
// course of things nothing is written. One whose server is another's keeps none.
type notes struct {
	bus      *Bus
	consumer Consumer
	began    uint64 // sequence of the newest message when Consume began
	first    atomic.Int64
	// alone is held by an attempt whose last one did not end: of those that die
	// together, the ones to blame die alone the next time.
	alone chan struct{}
}

func newNotes(b *Bus, c Consumer, began uint64) *notes {
	return &notes{bus: b, consumer: c, began: began, alone: make(chan struct{}, 1)}
}

// entry is what the notes know of an attempt in hand. Its zero value keeps nothing.
type entry struct {
	notes   *notes
	of      Delivery // with the true number of the attempt
	before  note     // as the attempt found it; zero where there was none, or none was looked for
	open    bool     // whether its beginning is noted and its end is not
	release func()   // lets another be alone; nil where it was not
}

// begin notes that an attempt at d begins, if it may not be the first. The caller
// calls end when the attempt is settled.
func (n *notes) begin(ctx context.Context, d Delivery) *entry {
	e := &entry{of: d}
	if !n.bus.declares {
		return e
	}
	e.notes = n
	if d.Attempt == 1 && (d.Sequence > n.began || n.first.Add(1) > int64(noted*n.consumer.Parallel)) {
		return e
	}
	var err error
	if e.before, err = n.read(ctx, d); err != nil {
		n.warn(d, err)
		return e // the server's count is better than no work
	}
	if !e.before.Stored.IsZero() {
		// Not what the server counts: a delivery that was given back was no attempt,
		// nor was one whose worker died while it waited to be alone.
		e.of.Attempt = e.before.Begun + 1
	}
	if e.before.Unended > 0 {
		select {
		case n.alone <- struct{}{}:
			e.release = func() { <-n.alone }
		case <-ctx.Done():
			return e
		}
	}
	e.write(ctx, note{Stored: d.Stored, Begun: e.of.Attempt, Unended: e.before.Unended + 1})
	e.open = true
	return e
}

// end ends an attempt that was settled; gone says whether the message is gone for
// good.
func (e *entry) end(ctx context.Context, gone bool) {
	if e.open && !gone {
		e.write(ctx, note{Stored: e.of.Stored, Begun: e.of.Attempt})
	}
	if e.release != nil {
		e.release()
	}
}

// takeBack makes an attempt none. It is called before the message is given back:
// whoever gets it next reads the note.
func (e *entry) takeBack(ctx context.Context) {
	if e.notes != nil {
		e.write(ctx, note{Stored: e.of.Stored, Begun: e.of.Attempt - 1, Unended: e.before.Unended})
		e.open = false
	}
}

// write keeps a note, also for a worker that is told to stop.
func (e *entry) write(ctx context.Context, is note) {
	if err := e.notes.write(context.WithoutCancel(ctx), e.of, is); err != nil {
		e.notes.warn(e.of, err)
	}
}

func (n *notes) warn(d Delivery, err error) {
	n.bus.log.Warn().Err(err).Str("consumer", n.consumer.Name).Str("id", d.Item).Msg("an attempt cannot be noted; the server's count alone holds")
}

func (n *notes) subject(d Delivery) string {
	return fmt.Sprintf("assay-attempt.%s.%d", n.consumer.Name, d.Sequence)
}

func (n *notes) read(ctx context.Context, d Delivery) (_ note, err error) {
	ctx, settle := n.bus.permitted(ctx, StreamAttempts)
	defer settle(&err)
	stream, err := n.bus.js.Stream(ctx, StreamAttempts)
	if err != nil {
		return note{}, fmt.Errorf("stream %s: %w", StreamAttempts, err)
	}
	msg, err := stream.GetLastMsgForSubject(ctx, n.subject(d))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return note{}, nil
	}
	if err != nil {
		return note{}, fmt.Errorf("note of %s: %w", d.ID, err)
	}
	var found note
	if json.Unmarshal(msg.Data, &found) != nil || !found.Stored.Equal(d.Stored) {
		return note{}, nil
	}
	return found, nil
}

func (n *notes) write(ctx context.Context, d Delivery, is note) (err error) {
	ctx, settle := n.bus.permitted(ctx, n.subject(d))
	defer settle(&err)
	data, err := json.Marshal(is)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, publishTry)
	defer cancel()
	if _, err := n.bus.js.Publish(ctx, n.subject(d), data); err != nil {
		return fmt.Errorf("note of %s: %w", d.ID, err)
	}
	return nil
}
