package table

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Partition is a partition of a table or of an index that is read in pages, in descending order of its sort
// key: newest first.
type Partition struct {
	Table string
	Index string                          // empty for the table itself, which is read with strong consistency
	Hash  string                          // the partition key
	Value string                          // the value of the partition key
	Keys  []string                        // all key attributes of the table and of the index
	Range *expression.KeyConditionBuilder // limits the sort key; nil for no limit
	// Filter excludes items; nil for none. Sparse means that it excludes most of them.
	Filter *expression.ConditionBuilder
	Sparse bool
}

const (
	// readsPerPage limits the reads of a page whose filter excludes most items.
	readsPerPage = 20
	// sparseRead is the minimum number of items that a read of a sparse partition
	// requests.
	sparseRead = 100
)

// Page reads a page of at most limit items; limit must be positive. cursor is the value of next from
// the previous page, empty for the first. next is empty on the last page. A page with a filter can contain fewer
// items, or none, even if next is not empty. The error is ErrCursor if the cursor belongs to another partition.
func (p Partition) Page(ctx context.Context, db Reader, limit int32, cursor string) (items []Key, next string, err error) {
	scope := p.scope()
	start, err := ParseCursor(scope, cursor)
	if err == nil && start != nil && !p.has(start) {
		err = ErrCursor
	}
	if err != nil {
		return nil, "", err
	}
	in, err := p.query(limit)
	if err != nil {
		return nil, "", fmt.Errorf("list: %w", err)
	}
	for range readsPerPage {
		in.ExclusiveStartKey = start
		out, err := db.Query(ctx, in)
		if err != nil {
			return nil, "", fmt.Errorf("list: %w", err)
		}
		items, start = append(items, out.Items...), out.LastEvaluatedKey
		if len(items) > int(limit) {
			items = items[:limit]
			start = p.keyOf(items[limit-1])
		}
		if start == nil || len(items) == int(limit) {
			break
		}
	}
	next, err = Cursor(scope, start)
	return items, next, err
}

// After returns the cursor of the page that begins after an item, which need not exist any more. The item contains at least
// the attributes in Keys.
func (p Partition) After(item Key) (cursor string, err error) {
	return Cursor(p.scope(), p.keyOf(item))
}

// scope names the list in its cursors.
func (p Partition) scope() string { return p.Table + "/" + p.Index + "/" + p.Value }

func (p Partition) query(limit int32) (*dynamodb.QueryInput, error) {
	condition := expression.KeyEqual(expression.Key(p.Hash), expression.Value(p.Value))
	if p.Range != nil {
		condition = condition.And(*p.Range)
	}
	builder := expression.NewBuilder().WithKeyCondition(condition)
	if p.Filter != nil {
		builder = builder.WithFilter(*p.Filter)
	}
	expr, err := builder.Build()
	if err != nil {
		return nil, err
	}
	if p.Sparse {
		limit = max(limit, sparseRead)
	}
	in := &dynamodb.QueryInput{
		TableName: &p.Table, ScanIndexForward: aws.Bool(false), Limit: &limit,
		KeyConditionExpression: expr.KeyCondition(), FilterExpression: expr.Filter(),
		ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
	}
	if p.Index == "" {
		in.ConsistentRead = aws.Bool(true)
	} else {
		in.IndexName = &p.Index
	}
	return in, nil
}

// has reports whether a key belongs to the partition. A client can forge a cursor with any key.
func (p Partition) has(key Key) bool {
	return len(key) == len(p.Keys) && len(p.keyOf(key)) == len(key) && TextOf(key[p.Hash]) == p.Value
}

// keyOf returns the key of an item.
func (p Partition) keyOf(item Key) Key {
	key := Key{}
	for _, name := range p.Keys {
		if value, found := item[name]; found {
			key[name] = value
		}
	}
	return key
}
