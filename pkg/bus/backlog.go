package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// maxCounted is the maximum number of messages whose items Backlog counts. The list of their subjects is about 2 MB.
const maxCounted = 20_000

// Backlog is the work of a stream that is queued or in progress, of all priorities.
type Backlog struct {
	Events  uint64
	Items   uint64 // 0 if not Counted
	Counted bool   // false if there are more than 20,000 events that can be about the same items
	// Oldest is the time at which the oldest event was stored; zero if there is none.
	Oldest time.Time
}

// Backlog reads the backlog of a work stream. It takes one request, and another one if several events can be about one
// item: then it lists the subjects of up to 20,000 events.
func (b *Bus) Backlog(ctx context.Context, w Work) (Backlog, error) {
	stream, err := b.JS.Stream(ctx, w.Stream)
	if err != nil {
		return Backlog{}, err
	}
	state := stream.CachedInfo().State
	found := Backlog{Events: state.Msgs, Items: state.Msgs, Counted: true}
	if state.Msgs == 0 {
		return found, nil
	}
	found.Oldest = state.FirstTime.UTC()
	if w.Item == nil {
		return found, nil
	}
	if state.Msgs > maxCounted {
		found.Items, found.Counted = 0, false
		return found, nil
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(w.Stored()))
	if err != nil {
		return Backlog{}, fmt.Errorf("subjects of %s: %w", w.Stream, err)
	}
	items := map[string]struct{}{}
	for subject := range info.State.Subjects {
		if item := w.Item(publicSubject(subject)); item != "" {
			items[item] = struct{}{}
		}
	}
	found.Items = uint64(len(items))
	return found, nil
}

// Level is the size of a stream.
type Level struct {
	Messages, Bytes uint64
	Limit           uint64 // maximum of Bytes; 0 if there is none
	// Fill is the used share of the limits in bytes and messages, from 0 to 1. It is 0 if there is no limit, or if the
	// stream drops its oldest messages at the limit.
	Fill float64
}

// Level reads the size of a stream, with one request.
func (b *Bus) Level(ctx context.Context, stream string) (Level, error) {
	found, err := b.JS.Stream(ctx, stream)
	if err != nil {
		return Level{}, err
	}
	state, limits := found.CachedInfo().State, found.CachedInfo().Config
	level := Level{Messages: state.Msgs, Bytes: state.Bytes, Limit: uint64(max(limits.MaxBytes, 0))}
	if limits.Discard == jetstream.DiscardOld {
		return level, nil
	}
	if limits.MaxBytes > 0 {
		level.Fill = float64(state.Bytes) / float64(limits.MaxBytes)
	}
	if limits.MaxMsgs > 0 {
		level.Fill = max(level.Fill, float64(state.Msgs)/float64(limits.MaxMsgs))
	}
	level.Fill = min(level.Fill, 1)
	return level, nil
}
