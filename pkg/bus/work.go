package bus

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/fair"
)

// Work describes a stream of work events.
type Work struct {
	Stream string
	// Subjects matches the subjects of the events and ends in ">", such as assay.file.uploaded.>.
	// No other stream contains them.
	Subjects string
	// Item returns the id of the item that an event of this subject is about, or "" if it is about none that ends with an
	// outcome. If Item is nil, each event is about another item.
	Item func(subject string) string
	// Version is the highest version of its events that this version of Assay supports. 0 means 1. Processes leave events
	// of higher versions to newer ones.
	Version int
}

// Stored returns a filter that matches the subjects under which the stream stores its messages.
func (w Work) Stored() string { return storedSubject("*", "*", w.Subjects) }

// StoredAs returns a filter that matches the subjects under which the stream stores the events of a subject, which can have
// wildcards.
func (w Work) StoredAs(subject string) string { return storedSubject("*", "*", subject) }

// Stores reports whether the stream stores the events of a subject.
func (w Work) Stores(subject string) bool {
	return strings.HasPrefix(subject, strings.TrimSuffix(w.Subjects, ">"))
}

// Durable is a durable consumer on the server.
type Durable struct {
	Name   string
	Filter string // subject filter; empty for all
}

// Durables returns the durables of a consumer of the stream, one per priority, highest first.
// filter applies to public subjects; an empty filter selects all.
func (w Work) Durables(consumer, filter string) []Durable {
	filter = cmp.Or(filter, ">")
	all := make([]Durable, fair.Priorities)
	for priority := range all {
		all[priority] = Durable{fmt.Sprintf("%s-%d", consumer, priority), storedSubject(strconv.Itoa(priority), "*", filter)}
	}
	return all
}

// A work stream stores a message under an internal subject with the priority and a
// hash of the tenant: assay-work.<priority>.<tenant>.file.uploaded.<fileId>. The
// server republishes it as assay.file.uploaded.<fileId>, for other subscribers.
const (
	storedPrefix = "assay-work."
	publicPrefix = "assay."
)

// storedSubject returns the subject under which a work stream stores a message; priority and
// tenant may be "*".
func storedSubject(priority, tenant, subject string) string {
	return storedPrefix + priority + "." + tenant + "." + strings.TrimPrefix(subject, publicPrefix)
}

// publicSubject is the inverse of storedSubject. It returns subjects of other forms unchanged.
func publicSubject(subject string) string {
	if _, public, ok := ParseStored(subject); ok {
		return public
	}
	return subject
}

// ParseStored returns the priority of a message of a work stream, and the subject of its event. ok is false for a subject of
// another form.
func ParseStored(subject string) (priority int, public string, ok bool) {
	rest, ok := strings.CutPrefix(subject, storedPrefix)
	parts := strings.SplitN(rest, ".", 3) // priority, tenant, event
	if !ok || len(parts) != 3 {
		return 0, "", false
	}
	priority, err := strconv.Atoi(parts[0])
	return priority, publicPrefix + parts[2], err == nil
}

// ConsumerOf returns the name of the consumer to which a durable of a work stream belongs.
func ConsumerOf(durable *jetstream.ConsumerInfo) string {
	priority, _, ok := ParseStored(durable.Config.FilterSubject)
	if !ok {
		return durable.Name
	}
	return strings.TrimSuffix(durable.Name, "-"+strconv.Itoa(priority))
}

// Delivering returns the durable of a work stream that delivers the message with the subject, or nil if there is none.
func Delivering(durables []*jetstream.ConsumerInfo, subject string) *jetstream.ConsumerInfo {
	for _, one := range durables {
		if matches(one.Config.FilterSubject, subject) {
			return one
		}
	}
	return nil
}

// matches reports whether a subject filter selects a subject.
func matches(filter, subject string) bool {
	wanted, tokens := strings.Split(filter, "."), strings.Split(subject, ".")
	for i, token := range wanted {
		switch {
		case token == ">":
			return len(tokens) > i
		case i >= len(tokens), token != "*" && token != tokens[i]:
			return false
		}
	}
	return len(wanted) == len(tokens)
}

// tenantToken returns the token that stands for a tenant in a subject.
func tenantToken(tenant string) string {
	sum := sha256.Sum256([]byte(tenant))
	return hex.EncodeToString(sum[:8])
}

// workQueue is a work stream with an estimate of its backlog.
type workQueue struct {
	Work
	bus     *Bus
	backlog *fair.Queue
	handle  atomic.Pointer[Stream] // nil until it is needed
}

func newWorkQueue(w Work, cfg Config, b *Bus) *workQueue {
	q := &workQueue{Work: w, bus: b}
	q.backlog = fair.New(fair.Limits{Messages: cfg.WorkMaxMessages, PerTenant: cfg.WorkMaxPerOwner}, fair.Counts{All: q.countAll, Of: q.countTenant})
	return q
}

// publish stores a message with the priority of its tenant, unless the stream already
// has a message of the same item, with any priority.
func (q *workQueue) publish(ctx context.Context, msg *nats.Msg, id, kind, tenant string) error {
	subject, token := msg.Subject, tenantToken(tenant)
	msg.Subject = storedSubject(strconv.Itoa(q.backlog.Priority(ctx, token)), token, subject)
	msg.Header[headerTenant] = []string{tenant}
	setReplay(ctx, msg.Header)
	msg.Header[jetstream.ExpectedLastSubjSeqHeader] = []string{"0"}
	msg.Header["Nats-Expected-Last-Subject-Sequence-Subject"] = []string{storedSubject("*", token, subject)}
	stored, err := q.bus.send(ctx, msg, id, kind)
	if !stored {
		q.backlog.Undo(token)
	}
	if errors.Is(err, ErrOutstanding) {
		if held, lookup := q.message(ctx, subject, tenant); lookup == nil && held.Header.Get(jetstream.MsgIDHeader) == id {
			return nil // stored by an attempt whose response was lost
		}
	}
	return err
}

// message returns the message of an item in the stream. It returns jetstream.ErrMsgNotFound if
// there is none.
func (q *workQueue) message(ctx context.Context, subject, tenant string) (*jetstream.RawStreamMsg, error) {
	return q.bus.JS.LastMsg(ctx, q.Stream, storedSubject("*", tenantToken(tenant), subject))
}

func (q *workQueue) countAll(ctx context.Context) (int64, error) {
	stream, err := q.bus.JS.Stream(ctx, q.Stream)
	if err != nil {
		return 0, err
	}
	return int64(stream.CachedInfo().State.Msgs), nil
}

func (q *workQueue) countTenant(ctx context.Context, token string) (int64, error) {
	stream := q.handle.Load()
	if stream == nil { // looking up the stream takes a request too
		found, err := q.bus.JS.Stream(ctx, q.Stream)
		if err != nil {
			return 0, err
		}
		stream = found
		q.handle.Store(stream)
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(storedSubject("*", token, publicPrefix+">")))
	if err != nil {
		return 0, err
	}
	return int64(len(info.State.Subjects)), nil // there is one message for each subject
}
