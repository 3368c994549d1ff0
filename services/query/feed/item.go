package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/services/query/item"
)

// Item returns an item of the feed. All callers may see it. The area has no list for owners: its items belong to none, and
// the sender that an item names is only the first of those that sent it.
func (a *Area) Item(ctx context.Context, id string, _ item.Reader) (item.Item, error) {
	i, err := a.store.Get(ctx, id)
	if err != nil {
		return item.Item{}, err
	}
	ingested, err := i.Ingested()
	analyzed, analyzedErr := i.Analyzed()
	failed, failedErr := i.Failed()
	if err := errors.Join(err, analyzedErr, failedErr); err != nil {
		return item.Item{}, fmt.Errorf("parse the times of %s: %w", id, err)
	}
	shown := item.Item{
		ID: i.SourceID, Name: cmp.Or(i.SourceURL, i.SourceID), Status: item.Waiting, State: string(i.Status), Created: ingested, Updated: analyzed, Error: i.ErrorMessage,
		Details: "/v1/feed/items/" + url.PathEscape(i.SourceID), Page: "/feed",
	}
	switch {
	case i.Status == feed.Analyzed:
		shown.Status = item.Done
	case !failed.IsZero():
		shown.Status, shown.Updated = item.Failed, failed
	}
	return shown, nil
}
