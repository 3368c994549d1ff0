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

// Image is an analyzed item as a change has left it, or, when Gone, as it was
// before a change took it away.
type Image struct {
	Item feed.Item
	Gone bool
}

// revision orders the images of one item: by its analysis; then by its tags, of
// which it only gets more; and nothing comes after its end but another analysis.
func revision(i feed.Item, gone bool) string {
	if gone {
		return i.AnalyzedAt + goneMark
	}
	return fmt.Sprintf("%s#%03d", i.AnalyzedAt, len(i.MatchedTags))
}

// goneMark is what the revision of a row without its item ends in.
const goneMark = "#~"

// maxTries is how often an item is replanned because of concurrent writes.
const maxTries = 20

// Apply updates the rows of items, and the counters, to the images: all changes for one item in one
// transaction, several items in as few transactions as possible. Images may be repeated, late, and
// in any order, and several processes may apply them concurrently: a row stores its revision, and
// no older one replaces it. The empty base row of a removed item remains as a tombstone. An item
// past its retention has no rows.
//
// After an error some items are applied; applying all again is safe. If Refused reports true for
// the error, one of the items can never be applied.
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
		return fmt.Errorf("the rows of %d items are changed by others all the time", len(left))
	}
	return nil
}

// applyOnce writes what is newer than the rows that were read. It returns those
// that others have changed meanwhile.
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
	// In the order of time, since neighbours share counters.
	for _, m := range slices.SortedFunc(values(moves), func(a, b *move) int { return cmp.Compare(a.base().SortKey, b.base().SortKey) }) {
		if m.old != nil && m.old.Revision >= m.base().Revision {
			continue
		}
		alone, err := d.plan(m)
		if err != nil {
			return nil, err
		}
		if !batch.holds(alone) {
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

// move is from the rows that an item has to those that it shall have.
type move struct {
	rows []Row // the base row first
	gone bool
	old  *Row // the base row that is there
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
func (r Row) Gone() bool { return strings.HasSuffix(r.Revision, goneMark) }

// plan is the transaction of one item. That the base row is still as it was read
// goes for all rows of the item, since they change together.
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
		if m.old.Revision != "" { // else no counter has it
			if err := t.counts.add(*m.old, true); err != nil {
				return t, err
			}
		}
		for _, tag := range m.old.MatchedTags {
			if m.gone || !slices.Contains(m.base().MatchedTags, tag) {
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
		return nil, fmt.Errorf("row of %s: %w", row.SourceID, err)
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

// unchanged makes the writing of a base row depend on that old is there.
func unchanged(put *types.Put, old *Row) {
	switch {
	case old == nil:
		put.ConditionExpression = aws.String("attribute_not_exists(day_partition)")
	case old.Revision == "": // of a table that was filled before there were counters
		put.ConditionExpression = aws.String("attribute_exists(day_partition) AND attribute_not_exists(revision)")
	default:
		put.ConditionExpression = aws.String("revision = :old")
		put.ExpressionAttributeValues = map[string]types.AttributeValue{":old": &types.AttributeValueMemberS{Value: old.Revision}}
	}
}

// maxActions is DynamoDB's limit of one transaction.
const maxActions = 100

// transaction is what is written all or not at all.
type transaction struct {
	actions []types.TransactWriteItem
	counts  counts
}

// holds reports whether other fits in too.
func (t *transaction) holds(other transaction) bool {
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
	for key, slots := range other.counts {
		for slot, n := range slots {
			t.counts.bump(key, slot, n)
		}
	}
}

// commit writes t. It is lost when a condition does not hold, or when others
// have written the same rows at the same moment in every attempt.
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

// Refused reports whether no attempt at a write can succeed.
func Refused(err error) bool {
	refused, ok := errors.AsType[interface {
		error
		ErrorCode() string
	}](err)
	return ok && refused.ErrorCode() == "ValidationException" || table.CanceledFor(err, "ValidationError", "ItemCollectionSizeLimitExceeded")
}

// readBases fills in the base rows that are there.
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
