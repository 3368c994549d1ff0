package linecount

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Config names the table.
type Config struct {
	Table string `env:"ASSAY_LINECOUNT_TABLE" envDefault:"assay-linecounts" doc:"the DynamoDB table of line counts"`
}

// Store reads and writes items.
type Store struct {
	db    *dynamodb.Client
	table string
}

// NewStore returns a store on the table of cfg.
func NewStore(db *dynamodb.Client, cfg Config) *Store { return &Store{db: db, table: cfg.Table} }

// Check returns an error if the table cannot be used.
func (s *Store) Check(ctx context.Context) error { return table.Check(ctx, s.db, s.table) }

func key(id string) table.Key { return table.Key{"id": table.Text(id)} }

// Create writes a new item. It returns lifecycle.ErrExists if the id is used.
func (s *Store) Create(ctx context.Context, i Item) (Item, error) {
	i.Status, i.CreatedAt = Pending, time.Now().UnixMilli()
	i.UpdatedAt = i.CreatedAt
	attributes, err := attributevalue.MarshalMap(i)
	if err != nil {
		return Item{}, fmt.Errorf("create %s: %w", i.ID, err)
	}
	_, err = s.db.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.table, Item: attributes, ConditionExpression: aws.String("attribute_not_exists(id)"),
	})
	if err != nil {
		return Item{}, fmt.Errorf("create %s: %w", i.ID, err)
	}
	return i, nil
}

// Get returns an item with a strongly consistent read, or lifecycle.ErrNotFound.
func (s *Store) Get(ctx context.Context, id string) (i Item, err error) {
	out, err := s.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.table, Key: key(id), ConsistentRead: aws.Bool(true)})
	if err == nil && out.Item == nil {
		err = lifecycle.ErrNotFound
	}
	if err == nil {
		err = attributevalue.UnmarshalMap(out.Item, &i)
	}
	if err != nil {
		return Item{}, fmt.Errorf("get %s: %w", id, err)
	}
	return i, nil
}

// List returns a page of an owner's items, newest first.
func (s *Store) List(ctx context.Context, owner string, limit int32, cursor string) (items []Item, next string, err error) {
	all := table.Partition{Table: s.table, Index: ByOwner, Hash: "ownerId", Value: owner, Keys: []string{"id", "ownerId"}}
	page, next, err := all.Page(ctx, s.db, limit, cursor)
	if err != nil {
		return nil, "", err
	}
	return items, next, attributevalue.UnmarshalListOfMaps(page, &items)
}

// Scan returns a page of all items.
func (s *Store) Scan(ctx context.Context, cursor string) (items []Item, next string, err error) {
	in := &dynamodb.ScanInput{TableName: &s.table}
	if cursor != "" {
		if in.ExclusiveStartKey, err = table.ParseCursor(Name, cursor); err != nil {
			return nil, "", err
		}
	}
	out, err := s.db.Scan(ctx, in)
	if err != nil {
		return nil, "", fmt.Errorf("scan %s: %w", s.table, err)
	}
	next, err = table.Cursor(Name, out.LastEvaluatedKey)
	return items, next, errors.Join(err, attributevalue.UnmarshalListOfMaps(out.Items, &items))
}

// Delete removes an item. A missing item is not an error.
func (s *Store) Delete(ctx context.Context, id string) error {
	if _, err := s.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &s.table, Key: key(id)}); err != nil {
		return fmt.Errorf("delete %s: %w", id, err)
	}
	return nil
}

// Claim moves an item that is not in a final state to IN_PROGRESS.
func (s *Store) Claim(ctx context.Context, i Item) (Item, error) { return s.move(ctx, claim, i, nil) }

// Complete records the number of lines.
func (s *Store) Complete(ctx context.Context, i Item, lines int64) (Item, error) {
	return s.move(ctx, complete, i, table.Key{"lines": table.Integer(lines)})
}

// Fail records why the item failed.
func (s *Store) Fail(ctx context.Context, i Item, why string) (Item, error) {
	return s.move(ctx, fail, i, table.Key{"errorMessage": table.Text(why)})
}

// Retry moves a FAILED item back to PENDING.
func (s *Store) Retry(ctx context.Context, i Item) (Item, error) {
	return s.move(ctx, retry, i, table.Key{"errorMessage": table.Text("")})
}

// move makes a move and sets attributes in the same write. Errors are those of lifecycle.Machine.Apply.
func (s *Store) move(ctx context.Context, m lifecycle.Move, i Item, set table.Key) (moved Item, err error) {
	fence, _ := lifecycle.TimeFence("updatedAt", i.UpdatedAt, time.Now())
	image, err := Machine().Apply(ctx, s.db, m, lifecycle.Write{
		Fence: fence, Items: []lifecycle.Item{{Table: s.table, Key: key(i.ID), Set: set}}, Image: true,
	})
	if err != nil {
		return Item{}, err
	}
	return moved, attributevalue.UnmarshalMap(image, &moved)
}
