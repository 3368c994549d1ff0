package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"golang.org/x/sync/errgroup"
)

// Rebuilt says what a rebuild did.
type Rebuilt struct {
	Items   int64 // analyzed items whose rows were written
	Skipped int64 // what could not be read as an item
	Removed int64 // rows that are those of no item, or were not as their item is
}

const (
	rebuildSegments = 4  // parts of the primary table that are read side by side
	rebuildParallel = 16 // items that are written side by side, in each
)

// Rebuild makes the dashboard what the primary table says, while both are in use:
// it writes the rows of every analyzed item that is not past its retention, then
// takes away or corrects rows that differ. It reads all of both tables, which
// nothing else does; it may be run any number of times, and again when it failed.
func Rebuild(ctx context.Context, s *Store, d *Dashboard) (Rebuilt, error) {
	var items, skipped, removed atomic.Int64
	group, filling := errgroup.WithContext(ctx)
	for segment := range rebuildSegments {
		group.Go(func() error { return fill(filling, s, d, int32(segment), &items, &skipped) })
	}
	err := group.Wait()
	if err == nil {
		err = d.sweep(ctx, s, &removed)
	}
	return Rebuilt{items.Load(), skipped.Load(), removed.Load()}, err
}

// fill shows the items of one segment of the primary table.
func fill(ctx context.Context, s *Store, d *Dashboard, segment int32, items, skipped *atomic.Int64) error {
	in := &dynamodb.ScanInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), Segment: &segment, TotalSegments: aws.Int32(rebuildSegments),
	}
	for {
		out, err := s.db.Scan(ctx, in)
		if err != nil {
			return fmt.Errorf("rebuild: %w", err)
		}
		group, writing := errgroup.WithContext(ctx)
		group.SetLimit(rebuildParallel)
		for _, attributes := range out.Items {
			item, err := Parse(attributes)
			switch {
			case err != nil:
				skipped.Add(1)
			case item.Status == Analyzed:
				group.Go(func() error {
					items.Add(1)
					return d.Show(writing, item)
				})
			}
		}
		if err := group.Wait(); err != nil {
			return fmt.Errorf("rebuild: %w", err)
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			return nil
		}
	}
}

// sweep compares every row of a day with its item.
func (d *Dashboard) sweep(ctx context.Context, s *Store, removed *atomic.Int64) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, base := range d.window(MaxHours).spans() {
		tagged := base
		tagged.in += tagPartition
		for _, days := range []span{base, tagged} {
			days.from = days.in[:1] // also what is older than the window
			group.Go(func() error {
				checking, ctx := errgroup.WithContext(ctx)
				checking.SetLimit(rebuildParallel)
				err := d.each(ctx, days, func(row Row) bool {
					checking.Go(func() error { return d.correct(ctx, s, row, removed) })
					return ctx.Err() == nil
				})
				return errors.Join(err, checking.Wait())
			})
		}
	}
	return group.Wait()
}

// correct removes a row that is not one of its item's, and then shows the item
// again: in this order a newer row of the projector's stands.
func (d *Dashboard) correct(ctx context.Context, s *Store, row Row, removed *atomic.Int64) error {
	item, found, err := s.at(ctx, row.SourceID, row.IngestedAt())
	if err != nil {
		return err
	}
	if found && item.Status == Analyzed {
		rows, err := item.Rows()
		if err != nil {
			return err
		}
		slices.Sort(row.MatchedTags)
		if slices.ContainsFunc(rows, row.equal) {
			return nil
		}
	}
	if err := d.remove(ctx, row); err != nil {
		return err
	}
	removed.Add(1)
	if !found || item.Status != Analyzed {
		return nil
	}
	return d.Show(ctx, item)
}

// equal compares rows whose tags are sorted.
func (r Row) equal(other Row) bool {
	tags := slices.Equal(r.MatchedTags, other.MatchedTags)
	r.MatchedTags, other.MatchedTags = nil, nil
	return tags && fmt.Sprintf("%#v", r) == fmt.Sprintf("%#v", other)
}

// at reads the item of one key, strongly consistent.
func (s *Store) at(ctx context.Context, id, ingested string) (item Item, found bool, err error) {
	out, err := s.db.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.table, Key: itemKey(id, ingested), ConsistentRead: aws.Bool(true),
	})
	if err != nil || out.Item == nil {
		return Item{}, false, err
	}
	item, err = Parse(out.Item)
	return item, err == nil, nil
}
