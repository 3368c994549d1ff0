package bus

import (
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

	"github.com/assay-project/assay/pkg/bus/conn"
	"github.com/assay-project/assay/pkg/bus/fair"
)

// Work describes a stream of work events.
type Work struct {
	Stream string
	// Subjects matches the subjects of the events and ends in ">", such as
	// assay.file.uploaded.>; no other stream has them.
	Subjects string
}

// Stored matches the subjects under which the stream stores its messages.
func (w Work) Stored() string { return storedSubject("*", "*", w.Subjects) }

// Durables returns the names of the durables behind a consumer of the stream, one for
// each priority, the highest first.
func (w Work) Durables(consumer string) []string {
	names := make([]string, fair.Priorities)
	for priority := range names {
		names[priority] = fmt.Sprintf("%s-%d", consumer, priority)
	}
	return names
}

// A work stream stores a message under a subject of its own, which holds the priority
// and a hash of the tenant: assay-work.<priority>.<tenant>.file.uploaded.<fileId>. The
// server republishes it as assay.file.uploaded.<fileId>, for other subscribers.
const (
	storedPrefix = "assay-work."
	publicPrefix = "assay."
	// headerTenant names the tenant, for a replay.
	headerTenant = "assay-tenant"
)

// workQueue is a work stream with the estimate of its backlog.
type workQueue struct {
	Work
	bus     *Bus
	backlog *fair.Queue
	handle  atomic.Pointer[conn.Stream] // nil until it is needed
}

func newWorkQueue(b *Bus, w Work) *workQueue {
	q := &workQueue{Work: w, bus: b}
	q.backlog = fair.New(fair.Limits{Messages: b.cfg.WorkMaxMessages, PerTenant: b.cfg.WorkMaxPerOwner}, fair.Counts{All: q.countAll, Of: q.countTenant})
	return q
}

// workOf returns the work queue that stores a subject, nil if none does.
func (b *Bus) workOf(subject string) *workQueue {
	for _, q := range b.work {
		if strings.HasPrefix(subject, strings.TrimSuffix(q.Subjects, ">")) {
			return q
		}
	}
	return nil
}

// workQueue returns the work queue of a stream, nil for a stream of another kind.
func (b *Bus) workQueue(stream string) *workQueue {
	for _, q := range b.work {
		if q.Stream == stream {
			return q
		}
	}
	return nil
}

// Admit reports whether more work of a work stream may be accepted for a tenant: it returns
// nil, fair.ErrFull, fair.ErrTenantFull or fair.ErrBacklogUnknown. The empty tenant asks for
// one that is not known yet. It is called at the edge, before work is accepted; what
// follows from accepted work is published without it.
func (b *Bus) Admit(ctx context.Context, stream, tenant string) error {
	q := b.workQueue(stream)
	if q == nil {
		return fmt.Errorf("%s is no work stream", stream)
	}
	if tenant != "" {
		tenant = tenantToken(tenant)
	}
	return q.backlog.Admit(ctx, tenant)
}

// publish stores a message with the priority of its tenant, unless the stream holds a
// message of the same item, with whatever priority.
func (q *workQueue) publish(ctx context.Context, msg *nats.Msg, id, kind, tenant string) error {
	token := tenantToken(tenant)
	item := storedSubject("*", token, msg.Subject)
	msg.Subject = storedSubject(strconv.Itoa(q.backlog.Priority(ctx, token)), token, msg.Subject)
	msg.Header[headerTenant] = []string{tenant}
	msg.Header[jetstream.ExpectedLastSubjSeqHeader] = []string{"0"}
	msg.Header["Nats-Expected-Last-Subject-Sequence-Subject"] = []string{item}
	stored, err := q.bus.send(ctx, msg, id, kind)
	if !stored {
		q.backlog.Undo(token)
	}
	if errors.Is(err, ErrOutstanding) && q.holds(ctx, item, id) {
		return nil // stored by a try whose answer was lost
	}
	return err
}

// holds reports whether the stream stores the message of this id for an item.
func (q *workQueue) holds(ctx context.Context, item, id string) bool {
	stream, err := q.bus.JS.Stream(ctx, q.Stream)
	if err != nil {
		return false
	}
	msg, err := stream.LastMsg(ctx, item)
	return err == nil && msg.Header.Get(jetstream.MsgIDHeader) == id
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
	if stream == nil { // looking the stream up is a request too
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
	return int64(len(info.State.Subjects)), nil // one message each
}

// Outstanding reports whether a work stream holds a message of this subject and tenant,
// so that a worker has it or will get it.
func (b *Bus) Outstanding(ctx context.Context, subject, tenant string) (bool, error) {
	q := b.workOf(subject)
	if q == nil {
		return false, fmt.Errorf("no work stream stores %s", subject)
	}
	stream, err := b.JS.Stream(ctx, q.Stream)
	if err != nil {
		return false, err
	}
	_, err = stream.LastMsg(ctx, storedSubject("*", tenantToken(tenant), subject))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for %s: %w", subject, err)
	}
	return true, nil
}

// tenantToken is a tenant as a token of a subject.
func tenantToken(tenant string) string {
	sum := sha256.Sum256([]byte(tenant))
	return hex.EncodeToString(sum[:8])
}

// storedSubject is the subject under which a work stream stores a message; priority and
// tenant may be "*".
func storedSubject(priority, tenant, subject string) string {
	return storedPrefix + priority + "." + tenant + "." + strings.TrimPrefix(subject, publicPrefix)
}

// publicSubject is the opposite of storedSubject. It returns other subjects unchanged.
func publicSubject(subject string) string {
	if rest, ok := strings.CutPrefix(subject, storedPrefix); ok {
		if parts := strings.SplitN(rest, ".", 3); len(parts) == 3 {
			return publicPrefix + parts[2]
		}
	}
	return subject
}
