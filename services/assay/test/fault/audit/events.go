package audit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/services/ingest/notice"
)

// item returns the item id in the subject of a work event or an outcome. A subject
// without an id, such as that of bucket notifications, is returned unchanged.
func item(subject string) string {
	if !strings.HasPrefix(subject, "assay") {
		return subject
	}
	if fileID, ok := stepItem(subject); ok {
		return fileID
	}
	return subject[strings.LastIndexByte(subject, '.')+1:]
}

// waiting returns the number of unacknowledged messages by item.
func (s *System) waiting(ctx context.Context) (map[string]int, error) {
	waiting := map[string]int{}
	streams := []string{notice.Stream}
	for _, area := range s.cfg.Areas() {
		streams = append(streams, area.Work.Stream)
	}
	for _, name := range streams {
		stream, err := s.js.Stream(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", name, err)
		}
		info, err := stream.Info(ctx, jetstream.WithSubjectFilter(">"))
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", name, err)
		}
		for subject, messages := range info.State.Subjects {
			waiting[item(subject)] += int(messages)
		}
	}
	return waiting, nil
}

// outcomeIDs are the distinct ids of the outcome events of one item.
type outcomeIDs struct{ completed, failed map[string]bool }

// outcomes reads all outcomes, by area and item.
func (s *System) outcomes(ctx context.Context) (map[string]*outcomeIDs, error) {
	outcomes := map[string]*outcomeIDs{}
	err := s.each(ctx, bus.StreamOutcomes, func(msg jetstream.Msg) error {
		parts := strings.SplitN(msg.Subject(), ".", 5) // assay.analysis.<end>.<area>.<id>
		if len(parts) != 5 {
			return fmt.Errorf("invalid subject of an outcome: %s", msg.Subject())
		}
		envelope, err := event.ParseEnvelope(msg.Headers())
		if err != nil {
			return fmt.Errorf("outcome %s: %w", msg.Subject(), err)
		}
		key := parts[3] + "/" + parts[4]
		if outcomes[key] == nil {
			outcomes[key] = &outcomeIDs{completed: map[string]bool{}, failed: map[string]bool{}}
		}
		if parts[2] == "completed" {
			outcomes[key].completed[envelope.ID] = true
		} else {
			outcomes[key].failed[envelope.ID] = true
		}
		return nil
	})
	return outcomes, err
}

// deadLetters returns the consumer and reason of every dead letter, by item.
func (s *System) deadLetters(ctx context.Context) (map[string][]string, error) {
	deadLetters := map[string][]string{}
	err := s.each(ctx, bus.StreamDead, func(msg jetstream.Msg) error {
		id := item(msg.Headers().Get(event.DeadSubject))
		deadLetters[id] = append(deadLetters[id], msg.Headers().Get(event.DeadConsumer)+": "+msg.Headers().Get(event.DeadReason))
		return nil
	})
	return deadLetters, err
}

// each calls f with the headers of every message of a stream.
func (s *System) each(ctx context.Context, name string, f func(jetstream.Msg) error) error {
	stream, err := s.js.Stream(ctx, name)
	if err != nil {
		return fmt.Errorf("stream %s: %w", name, err)
	}
	reader, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{HeadersOnly: true})
	if err != nil {
		return fmt.Errorf("stream %s: %w", name, err)
	}
	info, err := reader.Info(ctx)
	if err != nil {
		return fmt.Errorf("stream %s: %w", name, err)
	}
	if info.NumPending == 0 {
		return nil
	}
	messages, err := reader.Messages()
	if err != nil {
		return fmt.Errorf("stream %s: %w", name, err)
	}
	defer messages.Stop()
	defer context.AfterFunc(ctx, messages.Stop)()
	for {
		msg, err := messages.Next()
		if err != nil {
			return fmt.Errorf("stream %s: %w", name, errors.Join(ctx.Err(), err))
		}
		meta, err := msg.Metadata()
		if err != nil {
			return fmt.Errorf("stream %s: %w", name, err)
		}
		if err := f(msg); err != nil {
			return err
		}
		if meta.NumPending == 0 {
			return nil
		}
	}
}
