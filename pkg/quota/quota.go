package quota

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/platform"
)

// Quotas provides the quotas of all owners to one service. It is safe for concurrent use.
type Quotas struct {
	rows      rows
	documents *platform.Store
	standard  Limits
	log       zerolog.Logger

	mu        sync.RWMutex
	overrides map[string]Overrides
}

// New returns the quotas stored in a table. Quotas set by operators apply once Work has read them. cfg must be valid.
func New(cfg Config, table platform.Config, db *dynamodb.Client, log zerolog.Logger) *Quotas {
	standard, _ := cfg.limits()
	return &Quotas{rows: rows{db, table.Table, time.Now}, documents: platform.NewStore(db, table), standard: standard, log: log}
}

// Refresh is the interval at which the quotas set by operators are read.
const Refresh = 10 * time.Second

// Work reads the quotas set by operators at intervals of Refresh until ctx is done. It returns nil.
func (q *Quotas) Work(ctx context.Context) error {
	tick := time.NewTicker(Refresh)
	defer tick.Stop()
	for {
		if err := q.refresh(ctx); err != nil && ctx.Err() == nil {
			q.log.Warn().Err(err).Msg("cannot read the quotas set by operators; the last known ones still apply")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (q *Quotas) refresh(ctx context.Context) error {
	list, err := q.documents.List(ctx, platform.QuotaLimits)
	if err != nil {
		return err
	}
	all := make(map[string]Overrides, len(list))
	for _, d := range list {
		var o Overrides
		if err := json.Unmarshal([]byte(d.Body), &o); err != nil {
			return fmt.Errorf("quota: read the quotas of an owner: %w", err)
		}
		if o != (Overrides{}) {
			all[d.Name] = o
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.overrides = all
	return nil
}

// Of returns the limits of an owner.
func (q *Quotas) Of(owner string) Limits {
	q.mu.RLock()
	defer q.mu.RUnlock()
	return q.overrides[owner].over(q.standard)
}

// Overrides reads the quotas that operators have set for an owner.
func (q *Quotas) Overrides(ctx context.Context, owner string) (Overrides, error) {
	_, o, err := q.read(ctx, owner)
	return o, err
}

func (q *Quotas) read(ctx context.Context, owner string) (d platform.Document, o Overrides, err error) {
	d, err = q.documents.Get(ctx, platform.QuotaLimits, owner)
	if errors.Is(err, platform.ErrNotFound) {
		return platform.Document{Name: owner}, o, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(d.Body), &o)
	}
	return d, o, err
}

// Set replaces the quotas that operators have set for an owner. Other processes apply them within
// Refresh. From the first quota on stored data on, sweeps count the items of the owner that exist already. Set returns
// platform.ErrChanged if another operator changed them concurrently.
func (q *Quotas) Set(ctx context.Context, owner string, o Overrides) error {
	d, _, err := q.read(ctx, owner)
	if err != nil {
		return err
	}
	if err := q.documents.PutJSON(ctx, platform.QuotaLimits, owner, d.Version, o); err != nil {
		return err
	}
	if q.Effective(o).Counted() {
		if err := q.rows.list(ctx, owner); err != nil {
			return err
		}
	}
	return q.refresh(ctx)
}

// Effective returns the limits of an owner with the overrides o.
func (q *Quotas) Effective(o Overrides) Limits { return o.over(q.standard) }

// Usage is what an owner with the given limits uses. It is empty while the items of the owner are not counted.
func (q *Quotas) Usage(ctx context.Context, owner string, limits Limits) (Usage, error) {
	if owner == "" || !limits.Counted() {
		return Usage{}, nil
	}
	return q.rows.usage(ctx, owner)
}

// Reservation is the set of items that a call of Reserve has counted. It is empty for an owner without quotas on
// stored data.
type Reservation struct {
	quotas *Quotas
	owner  string
	made   []Item
}

// Reserve counts new items, all or none, if the owner has quotas on stored data. Items that are already counted are
// unaffected. The caller calls Undo if it is certain that the items were not created. If the items would exceed a
// quota, Reserve returns the Problem of an *ExceededError.
func (q *Quotas) Reserve(ctx context.Context, owner string, items ...Item) (*Reservation, error) {
	r := &Reservation{quotas: q, owner: owner}
	limits := q.Of(owner)
	if !limits.Counted() {
		return r, nil
	}
	var err error
	r.made, err = q.rows.reserve(ctx, owner, limits, items)
	if over, ok := errors.AsType[*ExceededError](err); ok {
		err = over.Problem()
	}
	return r, err
}

// undoTime limits Undo, which continues after the end of the request.
const undoTime = 5 * time.Second

// Undo releases the items that this reservation counted. If that fails, a sweep releases them.
func (r *Reservation) Undo(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
	defer cancel()
	for _, item := range r.made {
		if err := r.quotas.Erased(ctx, r.owner, item.Area, item.ID); err != nil {
			r.quotas.log.Warn().Err(err).Str("area", item.Area).Str("id", item.ID).Msg("cannot release a quota; a sweep will release it")
		}
	}
	r.made = nil
}

// Stored counts the bytes of an item whose size was unknown when it was reserved.
func (q *Quotas) Stored(ctx context.Context, owner, area, id string, bytes int64) error {
	if !q.Of(owner).Counted() {
		return nil
	}
	return q.rows.change(ctx, owner, area, id, func(h Holding) *Holding { h.Bytes = bytes; return &h })
}

// Joined records that the upload in parts of an item is no longer open.
func (q *Quotas) Joined(ctx context.Context, owner, area, id string) error {
	if !q.Of(owner).Counted() {
		return nil
	}
	return q.rows.change(ctx, owner, area, id, func(h Holding) *Holding { h.Uploads = 0; return &h })
}

// Released releases a deleted item if the owner has quotas on stored data. It is idempotent.
func (q *Quotas) Released(ctx context.Context, owner, area, id string) error {
	if !q.Of(owner).Counted() {
		return nil
	}
	return q.Erased(ctx, owner, area, id)
}

// Erased releases a deleted item in a process that does not know the quotas. It is idempotent, and costs one
// read for an item that is not counted.
func (q *Quotas) Erased(ctx context.Context, owner, area, id string) error {
	return q.rows.change(ctx, owner, area, id, func(Holding) *Holding { return nil })
}
