package dashboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/table"

	"github.com/assay-project/assay/pkg/feed"
)

// Image is an analyzed item after a change or, if Gone, before the change that
// deleted it.
type Image struct {
	Item feed.Item
	Gone bool
}

// revision returns a string that orders the images of one item: by the time of analysis,
// then by the number of tags, which never decreases. A deletion sorts after both.
func revision(i feed.Item, gone bool) string {
	if gone {
		return i.AnalyzedAt + goneSuffix
	}
	return fmt.Sprintf("%s#%03d", i.AnalyzedAt, len(i.MatchedTags))
}

// goneSuffix is the suffix of a tombstone's revision.
const goneSuffix = "#~"

// maxTries is the maximum number of attempts to write an item whose rows change concurrently.
const maxTries = 20

// Apply updates the rows of items, and the counters, to the images. All changes of an item are in
// one transaction, and several items share as few transactions as possible. Images may be repeated,
// late or out of order, and several processes may apply them concurrently: a row stores its
// revision, and an older one never replaces it. The empty base row of a removed item remains as a
// tombstone. An item past its retention has no rows.
//
// After an error, some of the items may have been applied; it is safe to apply all of them again. If
// Refused reports true for the error, at least one of the items can never be applied.
func (d *Dashboard) Apply(ctx context.Context, images ...Image) error {
	left := map[string]*move{}
	for _, image := range images {
		m, err := newMove(image)
		if err != nil {
			return err
		}
		if m.base().ExpiresAt <= d.now().Unix() {
			continue
		}
		if other := left[m.base().SortKey]; other == nil || other.base().Revision < m.base().Revision {
			left[m.base().SortKey] = m
		}
	}
	for range maxTries {
		if len(left) == 0 {
			return nil
		}
		if err := d.readBases(ctx, left); err != nil {
			return err
		}
		again, err := d.applyOnce(ctx, left)
		if err != nil {
			return err
		}
		left = again
	}
	if len(left) > 0 {
		return fmt.Errorf("too many concurrent changes to the rows of %d items", len(left))
	}
	return nil
}

// applyOnce writes the moves that are newer than the rows that were read. It
// returns those whose rows changed concurrently.
func (d *Dashboard) applyOnce(ctx context.Context, moves map[string]*move) (again map[string]*move, err error) {
	again = map[string]*move{}
	var batch transaction
	var members []*move
	send := func() error {
		lost, err := d.commit(ctx, batch)
		if lost {
			for _, m := range members {
				again[m.base().SortKey] = m
			}
		}
		batch, members = transaction{}, nil
		return err
	}
	// Ordered by time, because neighbors share counters.
	for _, m := range slices.SortedFunc(values(moves), func(a, b *move) int { return cmp.Compare(a.base().SortKey, b.base().SortKey) }) {
		if m.old != nil && m.old.Revision >= m.base().Revision {
			continue
		}
		alone, err := d.plan(m)
		if err != nil {
			return nil, err
		}
		if !batch.fits(alone) {
			if err := send(); err != nil {
				return nil, err
			}
		}
		batch.add(alone)
		members = append(members, m)
	}
	return again, send()
}

func values(moves map[string]*move) func(func(*move) bool) {
	return func(yield func(*move) bool) {
		for _, m := range moves {
			if !yield(m) {
				return
			}
		}
	}
}

// move replaces the rows of an item.
type move struct {
	rows []Row // the new rows, base row first
	gone bool
	old  *Row // the current base row; nil if there is none
}

func newMove(image Image) (*move, error) {
	rows, err := Rows(image.Item)
	if err != nil {
		return nil, err
	}
	if image.Gone {
		base := rows[0]
		rows = []Row{{
			DayPartition: base.DayPartition, SortKey: base.SortKey, SourceID: base.SourceID, ExpiresAt: base.ExpiresAt,
			Revision: revision(image.Item, true),
		}}
	}
	return &move{rows: rows, gone: image.Gone}, nil
}

func (m *move) base() Row { return m.rows[0] }

// Gone reports whether the row is the tombstone of its item.
func (r Row) Gone() bool { return strings.HasSuffix(r.Revision, goneSuffix) }

// plan returns the transaction that replaces the rows of one item. A condition on the base row
// protects all rows of the item, because they change together.
func (d *Dashboard) plan(m *move) (transaction, error) {
	var t transaction
	for i, row := range m.rows {
		put, err := d.put(row)
		if err != nil {
			return t, err
		}
		if i == 0 {
			unchanged(put, m.old)
		}
		t.actions = append(t.actions, types.TransactWriteItem{Put: put})
	}
	t.counts = counts{}
	if m.old != nil && !m.old.Gone() {
		if m.old.Revision != "" { // otherwise it was never counted
			if err := t.counts.add(*m.old, true); err != nil {
				return t, err
			}
		}
		for _, tag := range tagKeys(m.old.MatchedTags) {
			if m.gone || !slices.Contains(tagKeys(m.base().MatchedTags), tag) {
				row := Row{DayPartition: m.base().DayPartition + tagPartition, SortKey: m.base().SortKey + "#" + tag}
				t.actions = append(t.actions, types.TransactWriteItem{Delete: &types.Delete{TableName: &d.table, Key: rowKey(row)}})
			}
		}
	}
	if !m.gone {
		if err := t.counts.add(m.base(), false); err != nil {
			return t, err
		}
	}
	return t, nil
}

func (d *Dashboard) put(row Row) (*types.Put, error) {
	attributes, err := attributevalue.MarshalMap(row)
	if err != nil {
		return nil, fmt.Errorf("encode the row of %s: %w", row.SourceID, err)
	}
	if row.Gone() {
		for name := range attributes {
			switch name {
			case feed.AttrDayPartition, feed.AttrIngestedAt, feed.AttrSourceID, feed.AttrExpiresAt, feed.AttrRevision:
			default:
				delete(attributes, name)
			}
		}
	}
	return &types.Put{TableName: &d.table, Item: attributes}, nil
}

// unchanged makes the write of a base row conditional on old still being the current row.
func unchanged(put *types.Put, old *Row) {
	switch {
	case old == nil:
		put.ConditionExpression = aws.String("attribute_not_exists(day_partition)")
	case old.Revision == "": // the row was written before counters existed
		put.ConditionExpression = aws.String("attribute_exists(day_partition) AND attribute_not_exists(revision)")
	default:
		put.ConditionExpression = aws.String("revision = :old")
		put.ExpressionAttributeValues = map[string]types.AttributeValue{":old": &types.AttributeValueMemberS{Value: old.Revision}}
	}
}

// maxActions is DynamoDB's limit per transaction.
const maxActions = 100

// transaction collects writes that succeed or fail together.
type transaction struct {
	actions []types.TransactWriteItem
	counts  counts
}

// fits reports whether the actions of other can be added to t.
func (t *transaction) fits(other transaction) bool {
	if len(t.actions) == 0 {
		return true
	}
	n := len(t.actions) + len(other.actions) + len(t.counts)
	for key := range other.counts {
		if t.counts[key] == nil {
			n++
		}
	}
	return n <= maxActions
}

func (t *transaction) add(other transaction) {
	t.actions = append(t.actions, other.actions...)
	if t.counts == nil {
		t.counts = counts{}
	}
	for key, amounts := range other.counts {
		for slot, n := range amounts.slots {
			t.counts.bump(key, amounts.spelling, slot, n)
		}
	}
}

// commit writes t. It reports lost if a condition failed, or if every attempt
// conflicted with concurrent writes.
func (d *Dashboard) commit(ctx context.Context, t transaction) (lost bool, err error) {
	if len(t.actions) == 0 {
		return false, nil
	}
	_, err = d.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		TransactItems: append(t.actions, t.counts.updates(d.table)...),
	})
	if err == nil {
		return false, nil
	}
	if table.CanceledFor(err, "ConditionalCheckFailed", "TransactionConflict") && !Refused(err) {
		return true, nil
	}
	return false, fmt.Errorf("write the dashboard: %w", err)
}

// Refused reports whether err means that a write can never succeed.
func Refused(err error) bool {
	refused, ok := errors.AsType[interface {
		error
		ErrorCode() string
	}](err)
	return ok && refused.ErrorCode() == "ValidationException" || table.CanceledFor(err, "ValidationError", "ItemCollectionSizeLimitExceeded")
}

// readBases reads the current base rows.
func (d *Dashboard) readBases(ctx context.Context, moves map[string]*move) error {
	var keys []table.Key
	for m := range values(moves) {
		m.old = nil
		keys = append(keys, rowKey(m.base()))
	}
	return d.get(ctx, keys, func(row Row) {
		if m := moves[row.SortKey]; m != nil {
			m.old = &row
		}
	})
}
