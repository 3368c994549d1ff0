package dashboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/table"

	"github.com/assay-project/assay/pkg/feed"
)

// Rebuilt is the result of a rebuild.
type Rebuilt struct {
	Items     int64 `json:"items"`     // analyzed items that were checked
	Skipped   int64 `json:"skipped"`   // unreadable items
	Removed   int64 `json:"removed"`   // rows that had no item, or differed from it
	Recounted int64 `json:"recounted"` // counters that were corrected
}

const (
	rebuildSegments = 4 // segments of the primary table, read concurrently
	rebuildParallel = 4 // pages of rows compared concurrently in each partition
	rebuildPage     = 200
)

// Rebuild makes the dashboard match the primary table while both are in use. It writes the rows of
// every analyzed item within its retention, removes or corrects rows that differ, and then
// recounts. It is the only function that reads both tables completely. It is idempotent and can be
// repeated after a failure. It adds counters to a table that was filled before they existed.
func (d *Dashboard) Rebuild(ctx context.Context) (Rebuilt, error) {
	var items, skipped, removed, recounted atomic.Int64
	group, filling := errgroup.WithContext(ctx)
	for segment := range rebuildSegments {
		group.Go(func() error { return d.fill(filling, int32(segment), &items, &skipped) })
	}
	err := group.Wait()
	if err == nil {
		err = d.sweep(ctx, &removed)
	}
	if err == nil {
		err = d.recount(ctx, &recounted)
	}
	return Rebuilt{items.Load(), skipped.Load(), removed.Load(), recounted.Load()}, err
}

// fill writes the rows of one segment of the primary table.
func (d *Dashboard) fill(ctx context.Context, segment int32, items, skipped *atomic.Int64) error {
	err := d.items.segment(ctx, segment, rebuildSegments, func(page []feed.Item, unreadable int) error {
		skipped.Add(int64(unreadable))
		for part := range slices.Chunk(page, rebuildPage) {
			analyzed := slices.DeleteFunc(part, func(i feed.Item) bool { return !i.Scored() })
			items.Add(int64(len(analyzed)))
			if err := d.restore(ctx, analyzed); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	return nil
}

// restore rewrites the rows of items that have missing or wrong rows.
func (d *Dashboard) restore(ctx context.Context, items []feed.Item) error {
	var keys []table.Key
	wanted := make([][]Row, len(items))
	for i, item := range items {
		rows, err := Rows(item)
		if err != nil {
			return err
		}
		if rows[0].ExpiresAt <= d.now().Unix() {
			continue
		}
		wanted[i] = rows
		for _, row := range rows {
			keys = append(keys, rowKey(row))
		}
	}
	there := map[[2]string]Row{}
	if err := d.get(ctx, keys, func(row Row) { there[[2]string{row.DayPartition, row.SortKey}] = row }); err != nil {
		return err
	}
	var missing []Image
	for i, rows := range wanted {
		wrong := false
		for _, row := range rows {
			found, ok := there[[2]string{row.DayPartition, row.SortKey}]
			wrong = wrong || !ok || !found.equal(row)
		}
		if !wrong {
			continue
		}
		if _, ok := there[[2]string{rows[0].DayPartition, rows[0].SortKey}]; !ok {
			missing = append(missing, Image{Item: items[i]})
		} else if err := d.settle(ctx, rows[0]); err != nil {
			return err
		}
	}
	return d.Apply(ctx, missing...)
}

// sweep compares every row of every day in the longest window with its item.
func (d *Dashboard) sweep(ctx context.Context, removed *atomic.Int64) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, base := range since(d.now().UTC(), MaxHours).spans() {
		tagged := base
		tagged.in += tagPartition
		for _, days := range []span{base, tagged} {
			days.from, days.consistent = days.in[:1], true // including rows older than the window
			group.Go(func() error {
				checking, ctx := errgroup.WithContext(ctx)
				checking.SetLimit(rebuildParallel)
				var page []Row
				check := func() {
					rows := page
					checking.Go(func() error { return d.check(ctx, rows, removed) })
					page = nil
				}
				err := d.each(ctx, days, func(row Row) bool {
					if page = append(page, row); len(page) == table.GetLimit {
						check()
					}
					return ctx.Err() == nil
				})
				check()
				return errors.Join(err, checking.Wait())
			})
		}
	}
	return group.Wait()
}

// check corrects the rows of a page that differ from their items.
func (d *Dashboard) check(ctx context.Context, page []Row, removed *atomic.Int64) error {
	var keys []itemKey
	for _, row := range page {
		if key := (itemKey{row.SourceID, row.IngestedAt()}); row.plausible() && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	wanted := map[string][]Row{} // by sort key
	err := d.items.getAll(ctx, keys, func(item feed.Item) error {
		if !item.Scored() {
			return nil
		}
		rows, err := Rows(item)
		for _, row := range rows {
			wanted[row.SortKey] = append(wanted[row.SortKey], row)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	for _, row := range page {
		if slices.ContainsFunc(wanted[row.SortKey], row.equal) {
			continue
		}
		if err := d.correct(ctx, row, removed); err != nil {
			return err
		}
	}
	return nil
}

// plausible reports whether the row can belong to an item.
func (r Row) plausible() bool {
	_, err := time.Parse(feed.TimeLayout, r.IngestedAt())
	return err == nil && r.SourceID != ""
}

// correct repairs a row that differs from its item.
func (d *Dashboard) correct(ctx context.Context, row Row, removed *atomic.Int64) error {
	if !row.plausible() {
		removed.Add(1)
		_, err := d.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &d.table, Key: rowKey(row)})
		return err
	}
	found, err := d.items.lookup(ctx, itemKey{row.SourceID, row.IngestedAt()})
	if err != nil {
		return err
	}
	var rows []Row
	if found.analyzed() {
		if rows, err = Rows(found.item); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(rows, row.equal) || row.Gone() && !found.analyzed() {
		return nil
	}
	removed.Add(1)
	return d.settle(ctx, row)
}

// settle makes the rows of an item match the item, regardless of their revision, and
// removes row unless it is one of them. The write is conditional on the item and the
// base row being unchanged since they were read.
func (d *Dashboard) settle(ctx context.Context, row Row) error {
	id := feed.Item{SourceID: row.SourceID, IngestedAt: row.IngestedAt()}
	for range maxTries {
		found, err := d.items.lookup(ctx, itemKey{id.SourceID, id.IngestedAt})
		if err != nil {
			return err
		}
		image := Image{Item: found.item}
		if !found.analyzed() {
			image = Image{Item: id, Gone: true}
		}
		m, err := newMove(image)
		if err != nil {
			return err
		}
		if err := d.readBases(ctx, map[string]*move{m.base().SortKey: m}); err != nil {
			return err
		}
		t, err := d.settled(m, row)
		if err != nil || len(t.actions) == 0 {
			return err
		}
		t.actions = append(t.actions, found.unchanged...)
		lost, err := d.commit(ctx, t)
		if err != nil || !lost {
			return err
		}
	}
	return fmt.Errorf("too many concurrent changes to the rows of %s", id.SourceID)
}

// settled returns the plan of m, which also removes row if it is not one of m's rows.
func (d *Dashboard) settled(m *move, row Row) (t transaction, err error) {
	if m.gone && m.old != nil && !m.old.Gone() {
		// Delete only the current revision, not a later one: the item may have been created again.
		m.rows[0].Revision = m.old.ended()
	}
	if !m.gone || m.old != nil && !m.old.Gone() {
		if t, err = d.plan(m); err != nil {
			return t, err
		}
	}
	same := func(other Row) bool { return other.DayPartition == row.DayPartition && other.SortKey == row.SortKey }
	removed := func(a types.TransactWriteItem) bool {
		return a.Delete != nil && table.TextOf(a.Delete.Key[feed.AttrDayPartition]) == row.DayPartition && table.TextOf(a.Delete.Key[feed.AttrIngestedAt]) == row.SortKey
	}
	if !slices.ContainsFunc(m.rows, same) && !slices.ContainsFunc(t.actions, removed) {
		t.actions = append(t.actions, types.TransactWriteItem{Delete: &types.Delete{TableName: &d.table, Key: rowKey(row)}})
	}
	return t, nil
}

// ended returns the revision of the tombstone that replaces a base row.
func (r Row) ended() string {
	analyzed, _, _ := strings.Cut(r.Revision, "#")
	return analyzed + goneSuffix
}

// equal compares rows, ignoring the order of their tags.
func (r Row) equal(other Row) bool {
	tags, others := slices.Sorted(slices.Values(r.MatchedTags)), slices.Sorted(slices.Values(other.MatchedTags))
	r.MatchedTags, other.MatchedTags = nil, nil
	return slices.Equal(tags, others) && fmt.Sprintf("%#v", r) == fmt.Sprintf("%#v", other)
}
