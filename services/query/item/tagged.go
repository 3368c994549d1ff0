package item

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/web"
)

// taggedReads is the maximum number of items read concurrently for one page.
const taggedReads = 8

// taggedList is a list of the items that a caller has tagged.
type taggedList struct {
	tags   []string // folded and sorted
	area   string   // the only area; empty for all
	status Status   // the only status; empty for all
}

// taggedCursor is where a taggedList continues.
type taggedCursor struct {
	Tags   []string `json:"t"`           // the filters of the list
	Area   string   `json:"a,omitempty"` //
	Status Status   `json:"s,omitempty"` //
	At     int64    `json:"m"`           // Tagged.At of the last item that was read, in epoch milliseconds
	In     string   `json:"n"`           // its area
	ID     string   `json:"i"`           // its id
}

func (c taggedCursor) last() saved.Tagged {
	return saved.Tagged{Item: saved.Item{Area: c.In, ID: c.ID}, At: time.UnixMilli(c.At)}
}

// rest returns the part of a sorted list after a cursor, which is all of it for an empty one. It returns table.ErrCursor for a
// cursor of another list.
func (l taggedList) rest(all []saved.Tagged, text string) ([]saved.Tagged, error) {
	if text == "" {
		return all, nil
	}
	var at taggedCursor
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(data, &at)
	}
	if err != nil || at.ID == "" || at.Area != l.area || at.Status != l.status || !slices.Equal(at.Tags, l.tags) {
		return nil, table.ErrCursor
	}
	next, found := slices.BinarySearchFunc(all, at.last(), compareTagged)
	if found {
		next++
	}
	return all[next:], nil
}

// after returns the cursor after an item.
func (l taggedList) after(t saved.Tagged) (string, error) {
	data, err := json.Marshal(taggedCursor{l.tags, l.area, l.status, t.At.UnixMilli(), t.Area, t.ID})
	return base64.RawURLEncoding.EncodeToString(data), err
}

// tagged reads a page of a list, and returns the cursor of the next one. Items that the caller may not see any more are omitted.
func (s *Service) tagged(ctx context.Context, l taggedList, c web.Caller, limit int32, text string) ([]itemSummary, string, error) {
	all, err := s.tags.List(ctx, c.Owner, l.area)
	if err != nil {
		return nil, "", err
	}
	rest, err := l.rest(newestTagged(all, l.tags), text)
	if err != nil {
		return nil, "", err
	}
	page := rest[:min(len(rest), int(limit))]
	found := make([]*itemSummary, len(page))
	reads, reading := errgroup.WithContext(ctx)
	reads.SetLimit(taggedReads)
	for n, t := range page {
		area, err := s.find(t.Area)
		if err != nil { // an area that this version does not have
			continue
		}
		reads.Go(func() error {
			i, err := area.Item(reading, t.ID, Reader{Caller: c})
			switch {
			case errors.Is(err, lifecycle.ErrNotFound):
				return nil
			case err != nil:
				return fmt.Errorf("read the item %s of %s: %w", t.ID, t.Area, err)
			case l.status != "" && i.Status != l.status:
				return nil
			}
			shown := view(area.name, i)
			shown.Tags = t.Names()
			found[n] = &shown
			return nil
		})
	}
	if err := reads.Wait(); err != nil {
		return nil, "", err
	}
	items := []itemSummary{}
	for _, one := range found {
		if one != nil {
			items = append(items, *one)
		}
	}
	if len(page) == len(rest) {
		return items, "", nil
	}
	next, err := l.after(page[len(page)-1])
	return items, next, err
}
