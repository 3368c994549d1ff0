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
func (b *Bus) bury(ctx context.Context, c Consumer, d Delivery, reason error) error {
	header := maps.Clone(d.header)
	// These speak to the server about the message's own stream.
	maps.DeleteFunc(header, func(name string, _ []string) bool { return strings.HasPrefix(name, "Nats-") })
	if header == nil {
		header = nats.Header{}
	}
	header[DeadReason] = []string{oneLine(reason.Error())}
	header[DeadAttempts] = []string{strconv.Itoa(d.Attempt)}
	header[DeadSubject] = []string{d.Subject}
	header[DeadConsumer] = []string{c.Name}
	header[DeadFirst] = []string{d.Stored.UTC().Format(time.RFC3339Nano)}
	header[DeadLast] = []string{time.Now().UTC().Format(time.RFC3339Nano)}
	// With the time, since a stream that was lost and made anew counts from 1 again.
	id := fmt.Sprintf("dead/%s/%s/%d/%d", c.Name, c.Stream, d.Sequence, d.Stored.UnixMilli())
	return b.send(ctx, &nats.Msg{Subject: deadPrefix + c.Name, Header: header, Data: d.Data}, id, "dead")
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
