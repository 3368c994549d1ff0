package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// JetStream provides the methods of jetstream.JetStream that Assay needs. They are documented
// there; each can also return ErrForbidden.
type JetStream struct {
	refusals *refusals
	js       jetstream.JetStream
}

// Stream looks up a stream, which takes one request. Errors name the stream.
func (j *JetStream) Stream(ctx context.Context, name string) (*Stream, error) {
	ctx, done := j.refusals.call(ctx, name)
	stream, err := j.js.Stream(ctx, name)
	done(&err)
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", name, err)
	}
	return &Stream{j.refusals, name, stream}, nil
}

// LastMsg reads the newest message of a subject of a stream. It returns
// jetstream.ErrStreamNotFound if there is no such stream, and jetstream.ErrMsgNotFound if there
// is no such message.
func (j *JetStream) LastMsg(ctx context.Context, stream, subject string) (_ *jetstream.RawStreamMsg, err error) {
	found, err := j.Stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	ctx, done := j.refusals.call(ctx, stream)
	defer done(&err)
	msg, err := found.stream.GetLastMsgForSubject(ctx, subject)
	if err != nil {
		return nil, fmt.Errorf("newest message of %s: %w", subject, err)
	}
	return msg, nil
}

// putStream creates or changes a stream with a method of jetstream.JetStream.
func (j *JetStream) putStream(ctx context.Context, put func(context.Context, jetstream.StreamConfig) (jetstream.Stream, error), cfg jetstream.StreamConfig) (err error) {
	ctx, done := j.refusals.call(ctx, cfg.Name)
	defer done(&err)
	_, err = put(ctx, cfg)
	return err
}

// ConsumerInfo reads the state and the settings of a consumer.
func (j *JetStream) ConsumerInfo(ctx context.Context, stream, name string) (_ *jetstream.ConsumerInfo, err error) {
	ctx, done := j.refusals.call(ctx, name)
	defer done(&err)
	consumer, err := j.js.Consumer(ctx, stream, name)
	if err != nil {
		return nil, err
	}
	return consumer.CachedInfo(), nil
}

// CreateOrUpdateConsumer creates a named consumer or changes its settings.
func (j *JetStream) CreateOrUpdateConsumer(ctx context.Context, stream string, cfg jetstream.ConsumerConfig) (_ jetstream.Consumer, err error) {
	ctx, done := j.refusals.call(ctx, cmp.Or(cfg.Name, cfg.Durable))
	defer done(&err)
	return j.js.CreateOrUpdateConsumer(ctx, stream, cfg)
}

// DeleteConsumer deletes a consumer.
func (j *JetStream) DeleteConsumer(ctx context.Context, stream, name string) (err error) {
	ctx, done := j.refusals.call(ctx, name)
	defer done(&err)
	return j.js.DeleteConsumer(ctx, stream, name)
}

// PublishMsg publishes a message and returns when its stream has stored it on disk.
func (j *JetStream) PublishMsg(ctx context.Context, msg *nats.Msg, opts ...jetstream.PublishOpt) (_ *jetstream.PubAck, err error) {
	ctx, done := j.refusals.call(ctx, msg.Subject)
	defer done(&err)
	return j.js.PublishMsg(ctx, msg, opts...)
}

// Stream is a stream on the server.
type Stream struct {
	refusals *refusals
	name     string
	stream   jetstream.Stream
}

// CachedInfo returns the state of the stream at the time of the lookup.
func (s *Stream) CachedInfo() *jetstream.StreamInfo { return s.stream.CachedInfo() }

// Info reads the state of the stream.
func (s *Stream) Info(ctx context.Context, opts ...jetstream.StreamInfoOpt) (_ *jetstream.StreamInfo, err error) {
	ctx, done := s.refusals.call(ctx, s.name)
	defer done(&err)
	return s.stream.Info(ctx, opts...)
}

// Msg reads the message with a sequence number.
func (s *Stream) Msg(ctx context.Context, sequence uint64, opts ...jetstream.GetMsgOpt) (_ *jetstream.RawStreamMsg, err error) {
	ctx, done := s.refusals.call(ctx, s.name)
	defer done(&err)
	return s.stream.GetMsg(ctx, sequence, opts...)
}

// After reads the messages of a subject, which can have wildcards, after a sequence number, oldest first, with one request for each.
// It stops after the first error.
func (s *Stream) After(ctx context.Context, subject string, sequence uint64) iter.Seq2[*jetstream.RawStreamMsg, error] {
	return func(yield func(*jetstream.RawStreamMsg, error) bool) {
		for {
			msg, err := s.Msg(ctx, sequence+1, jetstream.WithGetMsgSubject(subject))
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("messages of %s: %w", subject, err))
				return
			}
			if !yield(msg, nil) {
				return
			}
			sequence = msg.Sequence
		}
	}
}

// Messages reads the oldest messages of a subject like After, at most limit of them.
func (s *Stream) Messages(ctx context.Context, subject string, limit int) (all []*jetstream.RawStreamMsg, _ error) {
	for msg, err := range s.After(ctx, subject, 0) {
		if err != nil {
			return all, err
		}
		if all = append(all, msg); len(all) == limit {
			break
		}
	}
	return all, nil
}

// Consumers reads the states and settings of all consumers of the stream.
func (s *Stream) Consumers(ctx context.Context) ([]*jetstream.ConsumerInfo, error) {
	ctx, done := s.refusals.call(ctx, s.name)
	list := s.stream.ListConsumers(ctx)
	var all []*jetstream.ConsumerInfo
	for info := range list.Info() {
		all = append(all, info)
	}
	err := list.Err()
	done(&err)
	if err != nil {
		return nil, fmt.Errorf("consumers of %s: %w", s.name, err)
	}
	return all, nil
}

// DeleteMsg deletes the message with a sequence number.
func (s *Stream) DeleteMsg(ctx context.Context, sequence uint64) (err error) {
	ctx, done := s.refusals.call(ctx, s.name)
	defer done(&err)
	return s.stream.DeleteMsg(ctx, sequence)
}
