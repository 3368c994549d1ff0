package bus

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus/fair"
)

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

// admit returns nil if more work of a tenant is accepted. The empty tenant means that the tenant is
// not yet known.
func (q *workQueue) admit(ctx context.Context, tenant string) error {
	if tenant != "" {
		tenant = tenantToken(tenant)
	}
	return q.backlog.Admit(ctx, tenant)
}

// publish stores a message with the priority of its tenant, unless the stream already
// has a message of the same item, with any priority.
func (q *workQueue) publish(ctx context.Context, msg *nats.Msg, id, kind, tenant string) error {
	subject, token := msg.Subject, tenantToken(tenant)
	msg.Subject = storedSubject(strconv.Itoa(q.backlog.Priority(ctx, token)), token, subject)
	msg.Header[headerTenant] = []string{tenant}
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
