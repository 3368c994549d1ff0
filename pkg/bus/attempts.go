package bus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// MaxAttempts is the maximum number of attempts of an AttemptRecord.
const MaxAttempts = 16

// AttemptRecord is the record of the attempts of a consumer at one message. Usually there is none for a message whose first
// attempt succeeds.
type AttemptRecord struct {
	Stored time.Time `json:"stored"` // time of the message; distinguishes it from one of a recreated stream, which counts sequences from 1 again
	Begun  int       `json:"begun"`  // attempts that began
	// Unended is the number of most recent attempts that began but did not end, because their
	// worker crashed or lost its connection to the server.
	Unended int `json:"unended"`
	// Attempts contains the newest MaxAttempts, oldest first. It lacks a first attempt that ended without a result, and all
	// attempts in a record of an earlier version.
	Attempts []Attempt `json:"attempts,omitempty"`
}

// Attempt is one attempt at a message, or a delivery that was returned before an attempt with the same number.
type Attempt struct {
	Number  int       `json:"n"` // counted from 1
	Began   time.Time `json:"began"`
	Worker  string    `json:"worker"`            // service, host and process id
	Ended   time.Time `json:"ended,omitzero"`    // zero if the attempt has not ended, or ended without a result
	Outcome string    `json:"outcome,omitempty"` // see package consume; empty if Ended is zero
	Reason  string    `json:"reason,omitempty"`  // the error, shortened
}

// AttemptSubject returns the subject of a consumer's attempt record for the message of an item with a sequence number. Each may
// be "*". The record of a message without an item, or of an item whose id is not a token of a subject, has a shorter subject;
// so have the records of earlier versions.
func AttemptSubject(consumer, sequence, item string) string {
	subject := attemptPrefix + consumer + "." + sequence
	if item != "*" && !isToken(item) {
		return subject
	}
	return subject + "." + item
}

// isToken reports whether an id can be a token of a subject.
func isToken(id string) bool {
	return id != "" && len(id) <= maxToken && !strings.ContainsAny(id, " \t\r\n.*>")
}

// AttemptSubjects returns a filter for the attempt records of a consumer.
func AttemptSubjects(consumer string) string { return attemptPrefix + consumer + ".>" }

const (
	attemptPrefix = "assay-attempt."
	// maxToken is the maximum length of an item's id in a subject.
	maxToken = 256
)

// MessageAttempts are the attempts of a consumer at one message.
type MessageAttempts struct {
	Consumer string
	Sequence uint64 // of the message in its stream
	AttemptRecord
}

// Attempts reads the records of attempts at the messages of an item, oldest message first. They are kept for a week.
func (b *Bus) Attempts(ctx context.Context, item string) ([]MessageAttempts, error) {
	if !isToken(item) {
		return nil, nil
	}
	stream, err := b.JS.Stream(ctx, StreamAttempts)
	if err != nil {
		return nil, err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(AttemptSubject("*", "*", item)))
	if err != nil {
		return nil, fmt.Errorf("attempts at %s: %w", item, err)
	}
	var all []MessageAttempts
	for subject := range info.State.Subjects {
		one, err := stream.attempts(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue // expired since
		}
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b MessageAttempts) int {
		return cmp.Or(a.Stored.Compare(b.Stored), strings.Compare(a.Consumer, b.Consumer), cmp.Compare(a.Sequence, b.Sequence))
	})
	return all, nil
}

// AttemptsAt reads the record of a consumer's attempts at a message of an item. It returns the zero value if there is none.
func (b *Bus) AttemptsAt(ctx context.Context, consumer string, sequence uint64, item string, stored time.Time) (MessageAttempts, error) {
	stream, err := b.JS.Stream(ctx, StreamAttempts)
	if err != nil {
		return MessageAttempts{}, err
	}
	for _, subject := range attemptSubjects(consumer, sequence, item) {
		found, err := stream.attempts(ctx, subject)
		if err == nil && found.Stored.Equal(stored) {
			return found, nil
		}
		if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return MessageAttempts{}, err
		}
	}
	return MessageAttempts{}, nil
}

// attemptSubjects returns the subject of a record, and the one that it has if an earlier version has written it.
func attemptSubjects(consumer string, sequence uint64, item string) []string {
	number := strconv.FormatUint(sequence, 10)
	return slices.Compact([]string{AttemptSubject(consumer, number, item), AttemptSubject(consumer, number, "")})
}

// attempts reads the record of a subject. It returns jetstream.ErrMsgNotFound if there is none.
func (s *Stream) attempts(ctx context.Context, subject string) (found MessageAttempts, err error) {
	msg, err := s.Msg(ctx, 1, jetstream.WithGetMsgSubject(subject))
	if err != nil {
		return found, fmt.Errorf("attempts of %s: %w", subject, err)
	}
	if err := json.Unmarshal(msg.Data, &found.AttemptRecord); err != nil {
		return found, fmt.Errorf("attempts of %s: %w", msg.Subject, err)
	}
	tokens := strings.SplitN(strings.TrimPrefix(msg.Subject, attemptPrefix), ".", 3) // consumer, sequence, item
	if len(tokens) < 2 {
		return found, fmt.Errorf("%q is not the subject of a record of attempts", msg.Subject)
	}
	found.Consumer = tokens[0]
	if found.Sequence, err = strconv.ParseUint(tokens[1], 10, 64); err != nil {
		return found, fmt.Errorf("%q is not the subject of a record of attempts: %w", msg.Subject, err)
	}
	return found, nil
}
