package accept

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/upload"
)

// Retry makes a move of the area, such as Area.Retry, after which an item is processed again, and publishes its work. It
// returns the errors of Requeue and of Publish.
func (s *Items[I]) Retry(ctx context.Context, item I, move Change[I]) (I, error) {
	again, err := s.Requeue(ctx, item, move)
	if err != nil {
		return again, err
	}
	return again, s.Publish(ctx, again)
}

// Requeue makes a move of the area if the content of the item still exists: without content, the item would remain in its
// new state. It returns the errors of upload.Find and of the move.
func (s *Items[I]) Requeue(ctx context.Context, item I, move Change[I]) (again I, err error) {
	if u := s.Upload(item); u.Stored {
		if _, err := upload.Find(ctx, u); err != nil {
			return again, err
		}
	}
	return move(ctx, item)
}

const (
	outstandingPause = 50 * time.Millisecond
	outstandingWait  = 10 * time.Second
)

// Publish publishes the work of an item that was requeued. It returns bus.ErrOutstanding if the worker that failed the item
// does not acknowledge its message in time; a later report of the upload, or a sweep, then publishes the work.
func (s *Items[I]) Publish(ctx context.Context, again I) error {
	ctx, cancel := context.WithTimeout(ctx, outstandingWait)
	defer cancel()
	for {
		err := s.Confirm(ctx, s.Upload(again))
		if !errors.Is(err, bus.ErrOutstanding) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(outstandingPause):
		}
	}
}

// Remove deletes the content of an item, with the parts of an open upload, then the item, which it returns as it was. A
// retry after a crash therefore still finds the content, and an item is not reported as deleted while its content exists.
// Remove then deletes the content again, because an upload may have finished, or a worker may have stored objects, in
// between; the content of an upload that finishes later is deleted when its notification is processed. An item that does
// not exist is not an error.
func (s *Items[I]) Remove(ctx context.Context, item I) (removed I, err error) {
	u := s.Upload(item)
	if err := s.Withdrawn.Add(ctx, u.Area, u.ID, u.Created); err != nil {
		return item, err
	}
	if err := s.area.Clean(ctx, item); err != nil {
		return item, err
	}
	removed, err = s.area.Delete(ctx, item)
	if missing := errors.Is(err, lifecycle.ErrNotFound); err != nil && !missing {
		return item, err
	} else if missing {
		removed = item
	}
	if err := s.Quotas.Released(ctx, u.Owner, u.Area, u.ID); err != nil {
		return removed, err
	}
	if err := s.Tags.Forget(ctx, u.Owner, saved.Item{Area: u.Area, ID: u.ID}); err != nil {
		return removed, err
	}
	return removed, s.area.Clean(ctx, removed)
}

// Replay retries the item of a dead letter if the dead letter is about the current failure of the item. A later failure has
// its own dead letter.
func (s *Items[I]) Replay(ctx context.Context, l bus.DeadLetter) (mine bool, note string, err error) {
	id, mine := s.area.Worked(l.Subject)
	if !mine || id == "" {
		return mine, "", nil
	}
	noun := "the " + s.area.Nouns.Item
	item, err := s.area.Find(ctx, id)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return true, noun + " was deleted", nil
	}
	if err != nil {
		return true, "", err
	}
	u := s.Upload(item)
	switch {
	case u.State == upload.Waiting:
		return true, fmt.Sprintf("%s is already %s", noun, u.Status), s.Confirm(ctx, u)
	case u.State != upload.Failed:
		return true, fmt.Sprintf("%s is %s", noun, u.Status), nil
	case u.Updated.After(l.Last):
		return true, noun + " has since failed again; that failure has its own dead letter", nil
	}
	_, err = s.Retry(ctx, item, s.area.Retry)
	if moved, ok := errors.AsType[*lifecycle.MovedError](err); ok {
		return true, fmt.Sprintf("%s is %s", noun, moved.Found), nil
	}
	if upload.Absent(err) {
		return true, "the uploaded content no longer exists", nil
	}
	return true, "", err
}

// Describe returns the file name of the item of a dead letter, and the path of the call that reads the item. The name is
// that in the message, so that no item is read.
func (s *Items[I]) Describe(l bus.DeadLetter) (name, path string) {
	id, mine := s.area.Worked(l.Subject)
	if !mine || id == "" {
		return "", ""
	}
	var message struct{ FileName string }
	if err := json.Unmarshal(l.Data, &message); err != nil {
		return "", s.area.Path + id // the message is not readable
	}
	return message.FileName, s.area.Path + id
}
