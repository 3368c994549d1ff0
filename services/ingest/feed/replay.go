package feed

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/lifecycle"
)

// Replay retries the item of a dead letter if the dead letter is about the item's current failure.
// A later failure has its own dead letter.
func (a *Area) Replay(ctx context.Context, l bus.DeadLetter) (mine bool, note string, err error) {
	id, ok := strings.CutPrefix(l.Subject, feed.AcceptedSubject(""))
	if !ok || !feed.ValidSourceID(id) {
		return false, "", nil
	}
	item, err := a.store.Get(ctx, id)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return true, "the item was deleted", nil
	case err != nil:
		return true, "", err
	case item.Status == feed.Analyzed:
		return true, "the item is already analyzed", nil
	case !item.GivenUp():
		return true, "the item is already pending", a.announce(ctx, item)
	}
	failed, err := item.Failed()
	if err != nil {
		return true, "", fmt.Errorf("read the failure time of %s: %w", id, err)
	}
	if failed.After(l.Last) {
		return true, "the item has since failed again; that failure has its own dead letter", nil
	}
	_, err = a.store.Retry(ctx, item)
	if moved, ok := errors.AsType[*lifecycle.MovedError](err); ok {
		return true, fmt.Sprintf("the item is %s", moved.Found), nil
	}
	if errors.Is(err, lifecycle.ErrFenceLost) {
		return true, "the item was analyzed in the meantime", nil
	}
	if err != nil {
		return true, "", err
	}
	// Use Replay instead of Publish, because the stream may still drop the event's id as a duplicate.
	if err := a.bus.Replay(ctx, l); !errors.Is(err, bus.ErrOutstanding) {
		return true, "", err
	}
	return true, "", nil
}

// Describe returns the path of the call that reads the item of a dead letter. Feed items have no file name.
func (a *Area) Describe(l bus.DeadLetter) (name, path string) {
	return "", "/v1/feed/items/" + url.PathEscape(strings.TrimPrefix(l.Subject, feed.AcceptedSubject("")))
}
