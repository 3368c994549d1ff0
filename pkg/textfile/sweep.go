package textfile

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// ScanLimit is the maximum page size of Scan. The counterparts of a page's items fit into one BatchGetItem.
const ScanLimit = 100

// Scanned is a page of a scan of the table, unordered and eventually consistent: use it only as
// a hint.
type Scanned struct {
	Files  []File // metadata items
	Listed []File // history items
	Broken []Broken
	Items  int    // number of items on the page
	Next   string // cursor of the next page, empty on the last
}

// Broken is an item that cannot be parsed.
type Broken struct {
	Key string // PK and SK
	Err error
}

const scanScope = "textfile scan"

// Scan reads up to limit items of the table, which has no index by status. It consumes read units for
// all items it reads. It returns table.ErrCursor for a cursor of another list.
func (s *Store) Scan(ctx context.Context, cursor string, limit int32) (Scanned, error) {
	start, err := table.ParseCursor(scanScope, cursor)
	if err != nil {
		return Scanned{}, err
	}
	out, err := s.db.Scan(ctx, &dynamodb.ScanInput{TableName: &s.table, Limit: aws.Int32(min(limit, ScanLimit)), ExclusiveStartKey: start})
	if err != nil {
		return Scanned{}, fmt.Errorf("scan: %w", err)
	}
	page := Scanned{Items: len(out.Items)}
	for _, item := range out.Items {
		if strings.HasPrefix(table.TextOf(item[partitionKey]), keyPrefix) {
			continue
		}
		found, err := readItem(item)
		switch {
		case err != nil:
			page.Broken = append(page.Broken, Broken{Key: keyText(item), Err: err})
		case found.SK == metaSortKey:
			page.Files = append(page.Files, found.File)
		default:
			page.Listed = append(page.Listed, found.File)
		}
	}
	page.Next, err = table.Cursor(scanScope, out.LastEvaluatedKey)
	return page, err
}

// stored is an item with its key.
type stored struct {
	PK, SK string
	File
}

func readItem(item table.Key) (stored, error) {
	var found stored
	if err := attributevalue.UnmarshalMap(item, &found); err != nil {
		return stored{}, err
	}
	return found, nil
}

// Pair contains the two items of a file; either is nil if it is missing.
type Pair struct{ Meta, History *File }

// inconsistent reports whether the items differ.
func (p Pair) inconsistent() bool {
	if p.Meta == nil || p.History == nil {
		return p.Meta != p.History
	}
	meta := *p.Meta
	meta.Result = nil // stored only in the metadata item
	return meta != *p.History
}

// Inconsistent returns the files of a page whose two items differ, or one of which is missing. It
// reads the counterpart of each item on the page with eventually consistent reads, and confirms each
// difference by reading both items in one transaction. It skips counterparts that cannot be parsed.
func (s *Store) Inconsistent(ctx context.Context, page Scanned) ([]Pair, error) {
	var keys []table.Key
	for _, f := range page.Files {
		keys = append(keys, historyKey(f.OwnerID, f.FileID))
	}
	for _, f := range page.Listed {
		keys = append(keys, metaKey(f.FileID))
	}
	others, err := s.batch(ctx, keys, false)
	if err != nil {
		return nil, err
	}
	var found []Pair
	seen := map[string]bool{} // a page may contain both items of a file
	for i, f := range slices.Concat(page.Files, page.Listed) {
		other, exists := others[keyText(keys[i])]
		if exists && other == nil || seen[f.FileID] {
			continue
		}
		pair := Pair{&f, other}
		if i >= len(page.Files) {
			pair = Pair{other, &f}
		}
		if !pair.inconsistent() {
			continue
		}
		seen[f.FileID] = true
		if pair, err = s.pair(ctx, f); err != nil {
			return nil, err
		}
		if pair.inconsistent() {
			found = append(found, pair)
		}
	}
	return found, nil
}

// Keys returns the object keys of those files that exist, by file id, with strongly consistent reads.
// The key is empty for a file whose item cannot be parsed.
func (s *Store) Keys(ctx context.Context, ids []string) (map[string]string, error) {
	var keys []table.Key
	for _, id := range ids {
		keys = append(keys, metaKey(id))
	}
	found, err := s.batch(ctx, keys, true)
	if err != nil {
		return nil, err
	}
	objects := map[string]string{}
	for i, id := range ids {
		if f, exists := found[keyText(keys[i])]; f != nil {
			objects[id] = f.S3Key
		} else if exists {
			objects[id] = ""
		}
	}
	return objects, nil
}

// Heads reads the files with these distinct ids that exist, without their results, by id, with strongly consistent reads. It omits
// files that cannot be parsed.
func (s *Store) Heads(ctx context.Context, ids []string) (map[string]File, error) {
	var keys []table.Key
	for _, id := range ids {
		keys = append(keys, metaKey(id))
	}
	found, err := s.batch(ctx, keys, true)
	files := map[string]File{}
	for _, f := range found {
		if f != nil {
			files[f.FileID] = *f
		}
	}
	return files, err
}

// batch reads the items with these distinct keys, and returns those that exist, by keyText. It omits
// the results, which are most of the data to decode. An item that cannot be parsed is nil.
func (s *Store) batch(ctx context.Context, keys []table.Key, consistent bool) (map[string]*File, error) {
	found := map[string]*File{}
	attributes := append(headAttributes(), partitionKey, sortKey)
	get := table.Get{Table: s.table, Keys: keys, Consistent: consistent, Attributes: attributes}
	err := table.GetAll(ctx, s.db, get, func(item table.Key) error {
		found[keyText(item)] = nil
		if read, err := readItem(item); err == nil {
			found[keyText(item)] = &read.File
		}
		return nil
	})
	return found, err
}

// keyText returns the key of an item as text, for maps and messages.
func keyText(item table.Key) string {
	return table.TextOf(item[partitionKey]) + " " + table.TextOf(item[sortKey])
}

// pair reads both items of a file in one transaction.
func (s *Store) pair(ctx context.Context, f File) (Pair, error) {
	get := func(key table.Key) types.TransactGetItem {
		return types.TransactGetItem{Get: &types.Get{TableName: &s.table, Key: key}}
	}
	out, err := s.db.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
		get(metaKey(f.FileID)), get(historyKey(f.OwnerID, f.FileID)),
	}})
	if err != nil {
		return Pair{}, fmt.Errorf("read the items of %s: %w", f.FileID, err)
	}
	var pair Pair
	for i, to := range []**File{&pair.Meta, &pair.History} {
		if len(out.Responses[i].Item) == 0 {
			continue
		}
		read, err := readItem(out.Responses[i].Item)
		if err != nil {
			return Pair{}, fmt.Errorf("read the items of %s: %w", f.FileID, err)
		}
		*to = &read.File
	}
	return pair, nil
}

// Repair makes the items of a file consistent: it copies the metadata item to the history item, or
// removes the history item if there is no metadata item. It returns lifecycle.ErrFenceLost if the file
// was written since it was read.
func (s *Store) Repair(ctx context.Context, p Pair) error {
	if p.Meta == nil {
		return s.transact(ctx, "repair "+p.History.FileID,
			types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
				TableName: &s.table, Key: metaKey(p.History.FileID), ConditionExpression: aws.String("attribute_not_exists(PK)"),
			}},
			types.TransactWriteItem{Delete: &types.Delete{TableName: &s.table, Key: historyKey(p.History.OwnerID, p.History.FileID)}})
	}
	listed := *p.Meta
	listed.Result = nil
	item, err := attributevalue.MarshalMap(listed)
	if err != nil {
		return fmt.Errorf("repair %s: %w", listed.FileID, err)
	}
	maps.Copy(item, historyKey(listed.OwnerID, listed.FileID))
	check := s.unchanged(listed)
	return s.transact(ctx, "repair "+listed.FileID,
		types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: &s.table, Key: metaKey(listed.FileID),
			ConditionExpression: check.condition, ExpressionAttributeNames: check.names, ExpressionAttributeValues: check.values,
		}},
		types.TransactWriteItem{Put: &types.Put{TableName: &s.table, Item: item}})
}

// Expire removes the items of a reservation that was never used. It returns lifecycle.ErrFenceLost
// if the file was written since it was read.
func (s *Store) Expire(ctx context.Context, f File) error {
	check := s.unchanged(f)
	return s.remove(ctx, "expire "+f.FileID, f, types.Delete{
		TableName: &s.table, Key: metaKey(f.FileID),
		ConditionExpression: check.condition, ExpressionAttributeNames: check.names, ExpressionAttributeValues: check.values,
	})
}

type condition struct {
	condition *string
	names     map[string]string
	values    map[string]types.AttributeValue
}

// unchanged returns the condition that the metadata item still has the state and the fence of f.
func (s *Store) unchanged(f File) condition {
	return condition{
		condition: aws.String("#status = :status AND updatedAt = :seen"),
		names:     map[string]string{"#status": statusName},
		values: map[string]types.AttributeValue{
			":status": &types.AttributeValueMemberS{Value: string(f.Status)},
			":seen":   &types.AttributeValueMemberN{Value: fmt.Sprint(f.UpdatedAt)},
		},
	}
}

// transact makes the writes atomically. It returns lifecycle.ErrFenceLost if a condition fails.
func (s *Store) transact(ctx context.Context, what string, writes ...types.TransactWriteItem) error {
	_, err := s.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	if refused(err) {
		err = lifecycle.ErrFenceLost
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
