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

// item is the id at the end of a subject of work or of outcomes, and the subject
// itself where it has none, such as that of the bucket's notices.
func item(subject string) string {
	if !strings.HasPrefix(subject, "assay") {
		return subject
	}
	return subject[strings.LastIndexByte(subject, '.')+1:]
}

// waiting is how many messages no worker has finished, by item.
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

// outcomes are the distinct ids of the events that told of one item's ends.
type outcomes struct{ completed, failed map[string]bool }

// told reads all outcomes, by area and item.
func (s *System) told(ctx context.Context) (map[string]*outcomes, error) {
	told := map[string]*outcomes{}
	err := s.each(ctx, bus.StreamOutcomes, func(msg jetstream.Msg) error {
		parts := strings.SplitN(msg.Subject(), ".", 5) // assay.analysis.<end>.<area>.<id>
		if len(parts) != 5 {
			return fmt.Errorf("an outcome on %s", msg.Subject())
		}
		envelope, err := event.ParseEnvelope(msg.Headers())
		if err != nil {
			return fmt.Errorf("an outcome on %s: %w", msg.Subject(), err)
		}
		of := parts[3] + "/" + parts[4]
		if told[of] == nil {
			told[of] = &outcomes{completed: map[string]bool{}, failed: map[string]bool{}}
		}
		if parts[2] == "completed" {
			told[of].completed[envelope.ID] = true
		} else {
			told[of].failed[envelope.ID] = true
		}
		return nil
	})
	return told, err
}

// letters are the reasons of all dead letters, by item.
func (s *System) letters(ctx context.Context) (map[string][]string, error) {
	letters := map[string][]string{}
	err := s.each(ctx, bus.StreamDead, func(msg jetstream.Msg) error {
		of := item(msg.Headers().Get(bus.DeadSubject))
		letters[of] = append(letters[of], msg.Headers().Get(bus.DeadConsumer)+": "+msg.Headers().Get(bus.DeadReason))
		return nil
	})
	return letters, err
}

// each reads the headers of all messages that a stream holds.
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
