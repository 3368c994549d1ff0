package bus

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/pkg/event"
)

// deadPrefix begins the subject of a dead letter; the consumer's name ends it.
const deadPrefix = "assay.dead."

// deadHeaders begins the names of the headers below.
const deadHeaders = "assay-dead-"

// Headers that a dead letter has besides those of the message it keeps.
const (
	DeadReason   = "assay-dead-reason"
	DeadAttempts = "assay-dead-attempts"
	DeadSubject  = "assay-dead-subject"  // where the message came from
	DeadConsumer = "assay-dead-consumer" // who gave it up
	DeadFirst    = "assay-dead-first"    // when the stream took it in, RFC 3339
	DeadLast     = "assay-dead-last"     // when it was given up, RFC 3339
)

// bury stores a message and why it was given up as a dead letter under
// assay.dead.<consumer>. It must succeed before the message is acknowledged.
func (b *Bus) bury(ctx context.Context, c Consumer, d Delivery, reason error, at time.Time) error {
	if at.IsZero() {
		at = time.Now()
	}
	header := maps.Clone(d.header)
	// These speak to the server about the message's own stream.
	maps.DeleteFunc(header, func(name string, _ []string) bool { return strings.HasPrefix(name, "Nats-") })
	if header == nil {
		header = nats.Header{}
	}
	// With the time, since a stream that was lost and made anew counts from 1 again.
	id := fmt.Sprintf("dead/%s/%s/%d/%d", c.Name, c.Stream, d.Sequence, d.Stored.UnixMilli())
	return b.keepDead(ctx, &nats.Msg{Subject: d.Subject, Header: header, Data: d.Data}, id, DeadLetter{
		Consumer: c.Name, Reason: reason.Error(), Attempts: d.Attempt, First: d.Stored, Last: at,
	})
}

// Bury stores a dead letter anew that was lost: of an event that a consumer gave up
// at that time. How often the consumer had tried is not known any more, and is 0 in
// the letter.
func (b *Bus) Bury(ctx context.Context, consumer string, e event.Event, reason string, at time.Time) error {
	data, err := e.Marshal()
	if err != nil {
		return err
	}
	header := e.Headers("/" + b.source)
	if e.Tenant != "" {
		header[headerTenant] = []string{e.Tenant}
	}
	id := fmt.Sprintf("dead/%s/%s/%d", consumer, e.ID, at.UnixMilli())
	return b.keepDead(ctx, &nats.Msg{Subject: e.Subject, Header: header, Data: data}, id, DeadLetter{
		Consumer: consumer, Reason: reason, First: e.Time, Last: at,
	})
}

// keepDead makes a dead letter of a message and stores it.
func (b *Bus) keepDead(ctx context.Context, msg *nats.Msg, id string, l DeadLetter) error {
	msg.Header[DeadReason] = []string{oneLine(l.Reason)}
	msg.Header[DeadAttempts] = []string{strconv.Itoa(l.Attempts)}
	msg.Header[DeadSubject] = []string{msg.Subject}
	msg.Header[DeadConsumer] = []string{l.Consumer}
	msg.Header[DeadFirst] = []string{l.First.UTC().Format(time.RFC3339Nano)}
	msg.Header[DeadLast] = []string{l.Last.UTC().Format(time.RFC3339Nano)}
	msg.Subject = deadPrefix + l.Consumer
	_, err := b.send(ctx, msg, id, "dead")
	return err
}

// oneLine makes s fit a header: no control characters, at most 1,000 bytes.
func oneLine(s string) string {
	s = strings.ToValidUTF8(s[:min(len(s), 1000)], "")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
