// Package withdrawn records items that were deleted while their content could still be uploaded. Content that arrives
// later is then deleted at once. Content without an item and without a record is not: its item may be in another table,
// or was lost. The sweep decides about it.
package withdrawn

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/platform"
)

// keep is the maximum lifetime of a presigned request, after which no content can be uploaded.
const keep = 7 * 24 * time.Hour

// Items are the withdrawn items. They are safe for concurrent use.
type Items struct{ documents *platform.Store }

// New returns the items recorded in the table.
func New(documents *platform.Store) *Items { return &Items{documents} }

// Add records an item that is about to be deleted, unless its content can no longer be uploaded.
func (i *Items) Add(ctx context.Context, area, id string, created time.Time) error {
	now := time.Now()
	if now.Sub(created) > keep {
		return nil
	}
	return i.documents.Set(ctx, platform.Withdrawn, platform.Document{Name: area + "#" + id, Body: "{}", Expires: now.Add(keep).Unix()})
}

const (
	// clearTime is the maximum time for deleting content that has arrived late.
	clearTime = 5 * time.Second
	// waitTime is the maximum time that new items with the same id wait for it. It allows for a request that is completed late.
	waitTime = 2 * clearTime
	// waitPause is the interval between two looks.
	waitPause = 20 * time.Millisecond
)

// record is the stored state of a withdrawn item.
type record struct {
	// Clearing is when new items with the same id no longer wait, while content is being deleted.
	Clearing time.Time `json:"clearing,omitzero"`
}

// Clear deletes the content of an item that was withdrawn, with remove, unless exists reports that the item was created again.
// An item that is created in the meantime waits in Await, so that its content is not deleted. It does nothing for an item that
// was not withdrawn.
func (i *Items) Clear(ctx context.Context, area, id string, exists func(context.Context) (bool, error), remove func(context.Context) error) error {
	d, err := i.documents.Get(ctx, platform.Withdrawn, area+"#"+id)
	if errors.Is(err, platform.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := i.set(ctx, d, record{time.Now().Add(waitTime)}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, clearTime)
	defer cancel()
	again, err := exists(ctx)
	if err == nil && !again {
		err = remove(ctx)
	}
	if err != nil {
		return err // whether the content was deleted may be unknown, so new items wait until it is certain
	}
	return i.set(ctx, d, record{})
}

func (i *Items) set(ctx context.Context, d platform.Document, r record) error {
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	d.Body = string(body)
	return i.documents.Set(ctx, platform.Withdrawn, d)
}

// Await waits while content of an earlier item with the same id is being deleted. Call it after an item was created and before
// its content can be uploaded.
func (i *Items) Await(ctx context.Context, area, id string) error {
	for {
		d, err := i.documents.Get(ctx, platform.Withdrawn, area+"#"+id)
		if errors.Is(err, platform.ErrNotFound) {
			return nil
		}
		var r record
		if err == nil {
			err = json.Unmarshal([]byte(d.Body), &r)
		}
		if err != nil || time.Now().After(r.Clearing) {
			return err
		}
		select {
		case <-time.After(waitPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
