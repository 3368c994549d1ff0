// Package withdrawn records items that were deleted while their content could still be uploaded. Content that arrives
// later is then deleted at once. Content without an item and without a record is not: its item may be in another table,
// or was lost. The sweep decides about it.
package withdrawn

import (
	"context"
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

// Has reports whether an item was withdrawn.
func (i *Items) Has(ctx context.Context, area, id string) (bool, error) {
	_, err := i.documents.Get(ctx, platform.Withdrawn, area+"#"+id)
	if errors.Is(err, platform.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
