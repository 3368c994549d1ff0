package bus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/event"
)

// Fair order. A stream hands out in the order that it took in, so that an item
// behind ten thousand of another owner would wait for all of them. Work is
// therefore kept in lanes: an owner's first few waiting items are in the first
// lane, the next some dozens in the second, and so on, and workers go to all
// lanes in turn, more often to the earlier ones. Whatever an owner floods the
// stream with, only its first few items are before those of others.
//
// The lane and a hash of the owner stand in the subject under which the stream
// keeps a message, assay-work.<lane>.<flow>.file.uploaded.<fileId>. The server
// republishes it under its own, assay.file.uploaded.<fileId>, for whoever listens.

// laneEnds is how many items of one owner wait in a lane and those before it; the
// last lane takes the rest.
var laneEnds = [lanes - 1]int64{laneFirst, 64, 512}

const (
	lanes     = 4
	laneFirst = 8
)

// turns is the order in which workers go to the lanes.
var turns = [8]int{0, 1, 0, 2, 0, 1, 0, 3}

const (
	workPrefix   = "assay-work."
	publicPrefix = "assay."
	// headerFlow says whose work a message is, for its replay.
	headerFlow = "assay-flow"
)

// ErrFlowFull says that as much work of one owner waits as may.
var ErrFlowFull = errors.New("too much work of one owner waits")

// isWork says whether the stream of work keeps what is published on subject.
func isWork(subject string) bool {
	for _, area := range event.WorkSubjects() {
		if strings.HasPrefix(subject, strings.TrimSuffix(area, ">")) {
			return true
		}
	}
	return false
}

// flowToken is a flow as a token of a subject.
func flowToken(flow string) string {
	sum := sha256.Sum256([]byte(flow))
	return hex.EncodeToString(sum[:8])
}

// kept is the subject under which the stream of work keeps a message of subject;
// lane and flow may be "*".
func kept(lane, flow, subject string) string {
	return workPrefix + lane + "." + flow + "." + strings.TrimPrefix(subject, publicPrefix)
}

// public is the opposite of kept. Other subjects stay as they are.
func public(subject string) string {
	if rest, ok := strings.CutPrefix(subject, workPrefix); ok {
		if parts := strings.SplitN(rest, ".", 3); len(parts) == 3 {
			return publicPrefix + parts[2]
		}
	}
	return subject
}

// queue publishes work in the lane of its flow. The server takes it only if it
// keeps none of the same item, in whatever lane.
func (b *Bus) queue(ctx context.Context, msg *nats.Msg, id, kind, flow string) error {
	token := flowToken(flow)
	lane, err := b.flows.join(ctx, token, b.fill.from())
	stored := uint64(0)
	if err == nil {
		defer func() { b.flows.settle(token, stored) }()
	}
	if err == nil && lane > 0 {
		// Where it is not known, the stream itself refuses.
		if part, silent := b.fill.now(ctx); silent == nil && part >= crowdedFrom {
			err = ErrFull
		}
	}
	if err != nil {
		b.metrics.published.WithLabelValues(kind, "refused").Inc()
		return fmt.Errorf("publish %s: %w", id, err)
	}
	item := kept("*", token, msg.Subject)
	msg.Subject = kept(fmt.Sprint(lane), token, msg.Subject)
	msg.Header[headerFlow] = []string{flow}
	msg.Header[jetstream.ExpectedLastSubjSeqHeader] = []string{"0"}
	msg.Header["Nats-Expected-Last-Subject-Sequence-Subject"] = []string{item}
	stored, err = b.send(ctx, msg, id, kind)
	if errors.Is(err, ErrOutstanding) && b.holds(ctx, item, id) {
		return nil // a try of ours whose answer was lost
	}
	return err
}

// holds says whether the stream of work keeps the message of this id for an item.
func (b *Bus) holds(ctx context.Context, item, id string) bool {
	work, err := b.js.Stream(ctx, StreamWork)
	if err != nil {
		return false
	}
	msg, err := work.GetLastMsgForSubject(ctx, item)
	return err == nil && msg.Header.Get(jetstream.MsgIDHeader) == id
}
