package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/textfile"
)

// deadLetters are the messages that were given up, of every area.
type deadLetters struct {
	bus   *bus.Bus
	areas []replayer
}

// replayer does what follows from replaying a message of its area: mine is false
// for one of another. A replayer looks at the item first, so that replaying twice
// changes nothing; note says why nothing was done, empty when something was.
type replayer func(ctx context.Context, l bus.DeadLetter) (mine bool, note string, err error)

// replay brings the item of a dead letter on its way again. A message that is of
// no area, such as a bucket's notice, is published as it was: its handler looks
// at the item.
func (d *deadLetters) replay(ctx context.Context, l bus.DeadLetter) (note string, err error) {
	if l.Subject == "" {
		return "", errors.New("the letter does not say where it came from")
	}
	for _, area := range d.areas {
		if mine, note, err := area(ctx, l); mine {
			return note, err
		}
	}
	return "", d.bus.Replay(ctx, l)
}

// sifting is what to do to dead letters of a filter, at which rate.
type sifting struct {
	filter bus.DeadFilter
	dryRun bool
	rate   int // letters a second at most
	most   int // letters at most
}

// sifted says what became of one dead letter.
type sifted struct {
	letter bus.DeadLetter
	note   string
	err    error
}

// each does something to the letters of a filter, and goes on after a failure of
// one. With dryRun it only lists them. more says that there are others behind the
// most. What comes to be dead meanwhile is left: a letter that fails again at once
// would be replayed without end.
func (d *deadLetters) each(ctx context.Context, s sifting, do func(context.Context, bus.DeadLetter) (string, error)) (all []sifted, more bool, err error) {
	pace := time.NewTicker(time.Second / time.Duration(s.rate))
	defer pace.Stop()
	for letter, err := range d.bus.DeadLetters(ctx, s.filter) {
		if err != nil {
			return all, false, err
		}
		if len(all) == s.most {
			return all, true, nil
		}
		one := sifted{letter: letter}
		if !s.dryRun {
			select {
			case <-ctx.Done():
				return all, true, ctx.Err()
			case <-pace.C:
			}
			one.note, one.err = do(ctx, letter)
		}
		all = append(all, one)
	}
	return all, false, nil
}

// replay of an uploaded file does what an explicit retry does, as long as the
// file is still in the failure that the letter tells of. A later failure has a
// letter of its own.
func (t *textFiles) replay(ctx context.Context, l bus.DeadLetter) (mine bool, note string, err error) {
	fileID, ok := strings.CutPrefix(l.Subject, event.UploadedOf(""))
	if !ok {
		return false, "", nil
	}
	file, err := t.store.Head(ctx, fileID)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return true, "the file was deleted", nil
	case err != nil:
		return true, "", err
	case file.Status == textfile.Pending:
		_, err = t.uploads.Confirm(ctx, file)
		return true, "the file is PENDING already", err
	case file.Status != textfile.Failed:
		return true, fmt.Sprintf("the file is %s", file.Status), nil
	case file.Updated().After(l.Last):
		return true, "the file failed again since; that failure has a letter of its own", nil
	}
	_, err = t.retry(ctx, file)
	if moved, ok := errors.AsType[*lifecycle.MovedError](err); ok {
		return true, fmt.Sprintf("the file is %s", moved.Found), nil
	}
	return true, "", err
}

// replay of an accepted item takes back that it was given up, as long as it is
// for the failure that the letter tells of. A later failure has a letter of its own.
func (f *feedItems) replay(ctx context.Context, l bus.DeadLetter) (mine bool, note string, err error) {
	id, ok := strings.CutPrefix(l.Subject, event.AcceptedOf(""))
	if !ok || !feed.ValidSourceID(id) {
		return false, "", nil
	}
	item, err := f.store.Get(ctx, id)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return true, "the item was removed", nil
	case err != nil:
		return true, "", err
	case item.Status == feed.Analyzed:
		return true, "the item is analyzed", nil
	case !item.GivenUp():
		return true, "the item is pending already", f.announce(ctx, item)
	}
	failed, err := item.Failed()
	if err != nil {
		return true, "", fmt.Errorf("the time of %s: %w", id, err)
	}
	if failed.After(l.Last) {
		return true, "the item failed again since; that failure has a letter of its own", nil
	}
	_, err = f.store.Retry(ctx, item)
	if moved, ok := errors.AsType[*lifecycle.MovedError](err); ok {
		return true, fmt.Sprintf("the item is %s", moved.Found), nil
	}
	if err != nil {
		return true, "", err
	}
	// Not the event anew: its id is the one that was given up, and the stream may
	// still take it for a repeat.
	if err := f.bus.Replay(ctx, l); !errors.Is(err, bus.ErrOutstanding) {
		return true, "", err
	}
	return true, "", nil
}
