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
// delivery on; and those that waited at the start and come first, since the
// process before may have died of them. So in the usual course of things nothing
// is written. One whose server is another's keeps none.
type notes struct {
	bus      *Bus
	consumer Consumer
	began    time.Time
	first    atomic.Int64
	// alone is held by an attempt whose last one did not end: of those that die
	// together, the ones to blame die alone the next time.
	alone chan struct{}
}

func newNotes(b *Bus, c Consumer, began time.Time) *notes {
	return &notes{bus: b, consumer: c, began: began, alone: make(chan struct{}, 1)}
}

// begin notes that an attempt at d begins, if it may not be the first, and returns
// d with the true number of it. The caller calls end when the attempt is settled,
// and says whether the message is gone for good.
func (n *notes) begin(ctx context.Context, d Delivery) (numbered Delivery, end func(gone bool)) {
	end = func(bool) {}
	if !n.bus.declares || d.Attempt == 1 && (d.Stored.After(n.began) || n.first.Add(1) > int64(noted*n.consumer.Parallel)) {
		return d, end
	}
	found, err := n.read(ctx, d)
	if err != nil {
		n.warn(d, err)
		return d, end // the server's count is better than no work
	}
	release := func() {}
	if found.Unended > 0 {
		select {
		case n.alone <- struct{}{}:
			release = func() { <-n.alone }
		case <-ctx.Done():
			return d, end
		}
	}
	if found.Begun > 0 {
		// Not what the server counts: a delivery whose worker died while it waited
		// to be alone was no attempt.
		d.Attempt = found.Begun + 1
	}
	is := note{Stored: d.Stored, Begun: d.Attempt, Unended: found.Unended + 1}
	if err := n.write(ctx, d, is); err != nil {
		n.warn(d, err)
	}
	return d, func(gone bool) {
		defer release()
		if gone {
			return
		}
		ctx := context.WithoutCancel(ctx) // also of a worker that is told to stop
		is.Unended = 0
		if err := n.write(ctx, d, is); err != nil {
			n.warn(d, err)
		}
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
