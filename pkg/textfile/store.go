package textfile

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Config names the table.
type Config struct {
	Table string `env:"ASSAY_TEXTFILE_TABLE" envDefault:"text-analyzer-history" doc:"the DynamoDB table of text files"`
}

// Store reads and writes files. It is safe for concurrent use. Every method
// that takes a File makes its write conditional on the UpdatedAt of that File.
type Store struct {
	db    *dynamodb.Client
	table string
	now   func() time.Time
}

// NewStore returns a store on the table of cfg.
func NewStore(db *dynamodb.Client, cfg Config) *Store {
	return &Store{db: db, table: cfg.Table, now: time.Now}
}

// Check returns an error if the table cannot be used. It is called by readiness checks.
func (s *Store) Check(ctx context.Context) error { return table.Check(ctx, s.db, s.table) }

// Reserve writes both items of a new file in state PENDING and sets its times. If the
// file's object key contains an idempotency key, Reserve writes the item of that key in
// the same transaction. It returns lifecycle.ErrExists if the id or the idempotency key is
// already used.
func (s *Store) Reserve(ctx context.Context, f File) (File, error) {
	f.Status = Pending
	f.CreatedAt = s.now().UnixMilli()
	f.UpdatedAt = f.CreatedAt
	put := func(key table.Key, item map[string]table.Value) types.TransactWriteItem {
		maps.Copy(item, key)
		return types.TransactWriteItem{Put: &types.Put{
			TableName: &s.table, Item: item, ConditionExpression: aws.String("attribute_not_exists(PK)"),
		}}
	}
	writes := []types.TransactWriteItem{
		put(metaKey(f.FileID), f.attributes()), put(historyKey(f.OwnerID, f.FileID), f.attributes()),
	}
	if hash := keyHash(f.S3Key); hash != "" {
		writes = append(writes, put(keyKey(hash), map[string]table.Value{
			fileIDName: table.Text(f.FileID), ownerIDName: table.Text(f.OwnerID), "createdAt": table.Integer(f.CreatedAt),
		}))
	}
	_, err := s.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	if refused(err) {
		return File{}, fmt.Errorf("reserve %s: %w", f.FileID, lifecycle.ErrExists)
	}
	if err != nil {
		return File{}, fmt.Errorf("reserve %s: %w", f.FileID, err)
	}
	return f, nil
}

// Get reads a file's metadata item with a strongly consistent read. It returns
// lifecycle.ErrNotFound if there is none.
func (s *Store) Get(ctx context.Context, fileID string) (File, error) {
	return s.get(ctx, fileID, &dynamodb.GetItemInput{})
}

// Head is like Get, but omits the result, for callers that may not read it.
func (s *Store) Head(ctx context.Context, fileID string) (File, error) {
	expr, err := expression.NewBuilder().WithProjection(table.Projection(headAttributes())).Build()
	if err != nil {
		return File{}, fmt.Errorf("get %s: %w", fileID, err)
	}
	return s.get(ctx, fileID, &dynamodb.GetItemInput{ProjectionExpression: expr.Projection(), ExpressionAttributeNames: expr.Names()})
}

// headAttributes returns the attributes of File without Result.
func headAttributes() []string {
	return []string{
		"fileId", ownerIDName, "s3Bucket", "s3Key", "originalFileName", statusName, "createdAt", updatedAt, errorMessageName, charsetName,
	}
}

func (s *Store) get(ctx context.Context, fileID string, in *dynamodb.GetItemInput) (File, error) {
	in.TableName, in.Key, in.ConsistentRead = &s.table, metaKey(fileID), aws.Bool(true)
	out, err := s.db.GetItem(ctx, in)
	if err != nil {
		return File{}, fmt.Errorf("get %s: %w", fileID, err)
	}
	if out.Item == nil {
		return File{}, lifecycle.ErrNotFound
	}
	var f File
	if err := attributevalue.UnmarshalMap(out.Item, &f); err != nil {
		return File{}, fmt.Errorf("get %s: %w", fileID, err)
	}
	return f, nil
}

// Delete removes the items of a file in any state. Missing items are not an error. Concurrent
// moves then return lifecycle.ErrNotFound.
func (s *Store) Delete(ctx context.Context, f File) error {
	return s.remove(ctx, "delete "+f.FileID, f, types.Delete{TableName: &s.table, Key: metaKey(f.FileID)})
}

// refused reports whether a transaction was canceled by a failed condition.
func refused(err error) bool { return table.CanceledFor(err, "ConditionalCheckFailed") }
