// Package event defines the events that Assay publishes: the generated messages of proto/assay/v1
// and the envelope around them. An event is sent over NATS as protobuf JSON with CloudEvents 1.0
// binary-mode headers, so that any NATS client can read it.
//
// Ids are deterministic: an event that is published again, after a crash or because of a second
// notification, has the same id, and the stream stores it once.
package event

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// Subjects of the events of all areas, for streams and subscribers. The subjects of work
// events are in the package of each area.
const (
	// OutcomeSubjects matches the outcomes of every area.
	OutcomeSubjects = "assay.analysis.>"
	// SavedSubjects matches the events about tags, saved searches and rules.
	SavedSubjects = "assay.saved.>"
	// DeadSubjects matches the dead letters of every consumer.
	DeadSubjects = "assay.dead.>"
)

// Event is one event to publish.
type Event struct {
	ID      string // deterministic; becomes ce-id and Nats-Msg-Id
	Subject string // the NATS subject
	Item    string // the item's id; becomes ce-subject
	Owner   string // the item's owner; becomes the extension ce-owner
	// Tenant is the unit of fairness of a work event: the owner, or the source if there is no
	// owner. It must not change for an item.
	Tenant string
	Time   time.Time // when the event occurred, not when it was sent
	// Version is the version of the contract of the event: 1, or 0 for short, unless a consumer of an earlier version of
	// Assay would process the event wrongly. A message states it only if it is above 1. See CONTRIBUTING.md.
	Version int
	Data    proto.Message
}

// NewAnalysisCompleted returns the event for d. Its id is
// analysis.completed/<area>/<id>/<ms>, where ms is the time of the final state in epoch
// milliseconds.
func NewAnalysisCompleted(d *AnalysisCompleted) Event {
	return outcome("completed", d.Area, d.Id, d.OwnerId, d.CompletedAt.AsTime(), d)
}

// NewAnalysisFailed returns the event for d. Its id is analysis.failed/<area>/<id>/<ms>, where ms is
// as in NewAnalysisCompleted.
func NewAnalysisFailed(d *AnalysisFailed) Event {
	return outcome("failed", d.Area, d.Id, d.OwnerId, d.FailedAt.AsTime(), d)
}

func outcome(end, area, id, owner string, at time.Time, d proto.Message) Event {
	return Event{
		ID:      fmt.Sprintf("analysis.%s/%s/%s/%d", end, area, id, at.UnixMilli()),
		Subject: fmt.Sprintf("assay.analysis.%s.%s.%s", end, area, id),
		Item:    id, Owner: owner, Time: at, Data: d,
	}
}

// ParseOutcome returns the parts of the subject of an outcome: completed or failed, the area and the id, which may contain dots. ok
// is false for other subjects.
func ParseOutcome(subject string) (end, area, id string, ok bool) {
	rest, ok := strings.CutPrefix(subject, "assay.analysis.")
	parts := strings.SplitN(rest, ".", 3)
	if !ok || len(parts) < 3 {
		return "", "", "", false
	}
	return parts[0], parts[1], parts[2], true
}

// OutcomesOf returns the subject filter that matches every outcome of one item.
func OutcomesOf(area, id string) string { return "assay.analysis.*." + area + "." + id }

// Type returns the CloudEvents type: the full name of the message, such as
// assay.v1.FileUploaded.
func (e Event) Type() string { return string(proto.MessageName(e.Data)) }

// Types returns the types of all events, in alphabetical order: those messages of proto/assay/v1 that are not a part of others.
func Types() []string {
	parts := map[protoreflect.FullName]bool{}
	var messages []protoreflect.MessageDescriptor
	of := (&AnalysisCompleted{}).ProtoReflect().Descriptor().ParentFile().Package()
	protoregistry.GlobalFiles.RangeFilesByPackage(of, func(file protoreflect.FileDescriptor) bool {
		for i := range file.Messages().Len() {
			messages = append(messages, file.Messages().Get(i))
		}
		return true
	})
	for _, message := range messages {
		for i := range message.Fields().Len() {
			if part := message.Fields().Get(i).Message(); part != nil {
				parts[part.FullName()] = true
			}
		}
	}
	var all []string
	for _, message := range messages {
		if !parts[message.FullName()] {
			all = append(all, string(message.FullName()))
		}
	}
	slices.Sort(all)
	return all
}

// Marshal returns the payload, protobuf JSON. Numbers, strings and lists are included even if they
// are zero or empty, so that readers in any language see a count of 0 as 0.
func (e Event) Marshal() ([]byte, error) {
	data, err := protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(e.Data)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.ID, err)
	}
	return data, nil
}

// ErrUnreadable means that a message is not the event that its subject or type names.
var ErrUnreadable = errors.New("the message is not a readable event")

// ErrNewer means that a message was sent by a newer version of Assay, and that this version does not support it. A consumer
// leaves such a message to newer processes.
var ErrNewer = errors.New("the message requires a newer version of Assay")

// Unmarshal is like the function Unmarshal. For an event of another type it returns the error of Unsupported. A message
// without a type is not compared.
func (e Envelope) Unmarshal(data []byte, d proto.Message) error {
	if want := string(proto.MessageName(d)); e.Type != "" && e.Type != want {
		return fmt.Errorf("%w: its type is %s, want %s", e.Unsupported(), e.Type, want)
	}
	return Unmarshal(data, d)
}

// Unsupported returns the error for an event of a type that its consumer does not support: ErrNewer for a type of Assay,
// otherwise ErrUnreadable.
func (e Envelope) Unsupported() error {
	if strings.HasPrefix(e.Type, typePrefix) {
		return ErrNewer
	}
	return ErrUnreadable
}

// typePrefix begins the types of all events of Assay.
const typePrefix = "assay."

// Unmarshal reads a payload into d. It returns an error that wraps ErrUnreadable. Unknown fields are ignored, so that a newer publisher does not
// break an older reader.
func Unmarshal(data []byte, d proto.Message) error {
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(data, d); err != nil {
		return fmt.Errorf("%w: payload is not a %s: %w", ErrUnreadable, proto.MessageName(d), err)
	}
	return nil
}
