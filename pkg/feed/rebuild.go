package feed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/table"
)

// Rebuilt says what a rebuild did.
type Rebuilt struct {
	Items     int64 `json:"items"`     // analyzed items that were looked at
	Skipped   int64 `json:"skipped"`   // what could not be read as an item
	Removed   int64 `json:"removed"`   // rows that were those of no item, or not as their item is
	Recounted int64 `json:"recounted"` // counters that were not what their rows give
}

const (
	rebuildSegments = 4 // parts of the primary table that are read side by side
	rebuildParallel = 4 // pages of rows that are compared side by side, in each partition
	rebuildPage     = 200
)

// Rebuild makes the dashboard what the primary table says, while both are in use:
// it writes the rows of every analyzed item that is not past its retention, takes
// away or corrects rows that differ, and then counts again. It reads all of both
// tables, which nothing else does; it may be run any number of times, and again
// when it failed. A table that was filled before there were counters gets them.
func Rebuild(ctx context.Context, s *Store, d *Dashboard) (Rebuilt, error) {
	var items, skipped, removed, recounted atomic.Int64
	group, filling := errgroup.WithContext(ctx)
	for segment := range rebuildSegments {
		group.Go(func() error { return fill(filling, s, d, int32(segment), &items, &skipped) })
	}
	err := group.Wait()
	if err == nil {
		err = d.sweep(ctx, s, &removed)
	}
	if err == nil {
		err = d.recount(ctx, &recounted)
	}
	return Rebuilt{items.Load(), skipped.Load(), removed.Load(), recounted.Load()}, err
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
		for page := range slices.Chunk(out.Items, rebuildPage) {
			var found []Item
			for _, attributes := range page {
				item, err := Parse(attributes)
				switch {
				case err != nil:
					skipped.Add(1)
				case item.Status == Analyzed:
					found = append(found, item)
				}
			}
			items.Add(int64(len(found)))
			if err := d.restore(ctx, s, found); err != nil {
				return fmt.Errorf("rebuild: %w", err)
			}
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			return nil
		}
	}
}

// restore writes the rows of items where some are missing or wrong.
func (d *Dashboard) restore(ctx context.Context, s *Store, items []Item) error {
	var keys []table.Key
	wanted := make([][]Row, len(items))
	for i, item := range items {
		rows, err := item.Rows()
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
		} else if err := d.settle(ctx, s, rows[0]); err != nil {
			return err
		}
	}
	return d.Apply(ctx, missing...)
}

// sweep compares every row of a day with its item.
func (d *Dashboard) sweep(ctx context.Context, s *Store, removed *atomic.Int64) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, base := range d.window(MaxHours).spans() {
		tagged := base
		tagged.in += tagPartition
		for _, days := range []span{base, tagged} {
			days.from, days.consistent = days.in[:1], true // also what is older than the window
			group.Go(func() error {
				checking, ctx := errgroup.WithContext(ctx)
				checking.SetLimit(rebuildParallel)
				var page []Row
				check := func() {
					rows := page
					checking.Go(func() error { return d.check(ctx, s, rows, removed) })
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
func (d *Dashboard) check(ctx context.Context, s *Store, page []Row, removed *atomic.Int64) error {
	items := map[[2]string]table.Key{}
	for _, row := range page {
		if row.plausible() {
			items[[2]string{row.SourceID, row.IngestedAt()}] = itemKey(row.SourceID, row.IngestedAt())
		}
	}
	wanted := map[string][]Row{} // by their sort keys
	err := table.GetAll(ctx, s.db, table.Get{
		Table: s.table, Keys: slices.Collect(maps.Values(items)), Consistent: true,
	}, func(attributes map[string]types.AttributeValue) error {
		item, err := Parse(attributes)
		if err != nil || item.Status != Analyzed {
			return nil
		}
		rows, err := item.Rows()
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
		if err := d.correct(ctx, s, row, removed); err != nil {
			return err
		}
	}
	return nil
}

// plausible says that there can be an item of the row.
func (r Row) plausible() bool {
	_, err := time.Parse(TimeLayout, r.IngestedAt())
	return err == nil && r.SourceID != ""
}

// correct settles a row that is not one of its item's.
func (d *Dashboard) correct(ctx context.Context, s *Store, row Row, removed *atomic.Int64) error {
	if !row.plausible() {
		removed.Add(1)
		_, err := d.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &d.table, Key: rowKey(row)})
		return err
	}
	found, err := s.at(ctx, row.SourceID, row.IngestedAt())
	if err != nil {
		return err
	}
	var rows []Row
	if found.analyzed {
		if rows, err = found.item.Rows(); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(rows, row.equal) || row.Gone() && !found.analyzed {
		return nil
	}
	removed.Add(1)
	return d.settle(ctx, s, row)
}

// settle makes the rows of an item what the item is, whatever their revision says,
// and removes row unless it is one of them. The item and the base row are as they
// were read when this is written.
func (d *Dashboard) settle(ctx context.Context, s *Store, row Row) error {
	id := Item{SourceID: row.SourceID, IngestedAt: row.IngestedAt()}
	for range maxTries {
		found, err := s.at(ctx, id.SourceID, id.IngestedAt)
		if err != nil {
			return err
		}
		image := Image{Item: found.item}
		if !found.analyzed {
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
	return fmt.Errorf("the rows of %s are changed by others all the time", id.SourceID)
}

// settled is the plan of m that also removes row where it is none of m's.
func (d *Dashboard) settled(m *move, row Row) (t transaction, err error) {
	if m.gone && m.old != nil && !m.old.Gone() {
		// The end of what is there, and no later: the item may come again.
		m.rows[0].Revision = m.old.ended()
	}
	if !m.gone || m.old != nil && !m.old.Gone() {
		if t, err = d.plan(m); err != nil {
			return t, err
		}
	}
	same := func(other Row) bool { return other.DayPartition == row.DayPartition && other.SortKey == row.SortKey }
	removed := func(a types.TransactWriteItem) bool {
		return a.Delete != nil && text(a.Delete.Key[dayPartition]) == row.DayPartition && text(a.Delete.Key[ingestedAt]) == row.SortKey
	}
	if !slices.ContainsFunc(m.rows, same) && !slices.ContainsFunc(t.actions, removed) {
		t.actions = append(t.actions, types.TransactWriteItem{Delete: &types.Delete{TableName: &d.table, Key: rowKey(row)}})
	}
	return t, nil
}

// ended is the revision of a base row whose item is gone.
func (r Row) ended() string {
	analyzed, _, _ := strings.Cut(r.Revision, "#")
	return analyzed + goneMark
}

// equal compares rows, whatever the order of their tags.
func (r Row) equal(other Row) bool {
	tags, others := slices.Sorted(slices.Values(r.MatchedTags)), slices.Sorted(slices.Values(other.MatchedTags))
	r.MatchedTags, other.MatchedTags = nil, nil
	return slices.Equal(tags, others) && fmt.Sprintf("%#v", r) == fmt.Sprintf("%#v", other)
}

// lookup is what the primary table has at one key.
type lookup struct {
	item      Item
	analyzed  bool
	unchanged []types.TransactWriteItem // the check that it still has; none of what cannot be read
}

// at reads the item of one key, strongly consistent.
func (s *Store) at(ctx context.Context, id, ingested string) (lookup, error) {
	out, err := s.db.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.table, Key: itemKey(id, ingested), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return lookup{}, fmt.Errorf("get %s: %w", id, err)
	}
	item, err := Parse(out.Item)
	if out.Item != nil && err != nil {
		return lookup{}, nil
	}
	still := expression.Name(sourceID).AttributeNotExists()
	if out.Item != nil {
		still = expression.Name(status).Equal(expression.Value(string(item.Status))).
			And(expression.Name(matchedTags).Equal(expression.Value(&types.AttributeValueMemberSS{Value: item.MatchedTags})))
		if item.AnalyzedAt != "" {
			still = still.And(expression.Name("analyzed_at").Equal(expression.Value(item.AnalyzedAt)))
		}
	}
	expr, err := expression.NewBuilder().WithCondition(still).Build()
	if err != nil {
		return lookup{}, fmt.Errorf("get %s: %w", id, err)
	}
	return lookup{item, out.Item != nil && item.Status == Analyzed, []types.TransactWriteItem{{ConditionCheck: &types.ConditionCheck{
		TableName: &s.table, Key: itemKey(id, ingested), ConditionExpression: expr.Condition(),
		ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
	}}}}, nil
}
