package textfile

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// An idempotency key has its own item for as long as its file exists: Reserve writes the item, and
// Delete and Expire remove it, each in one transaction with the file's items.

// ByKey returns the id of the file that was reserved under an idempotency key, with a strongly
// consistent read. It returns lifecycle.ErrNotFound if there is none.
func (s *Store) ByKey(ctx context.Context, hash string) (fileID string, err error) {
	out, err := s.db.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.table, Key: keyKey(hash), ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String(fileIDName),
	})
	if err != nil {
		return "", fmt.Errorf("get the key %s: %w", hash, err)
	}
	if out.Item == nil {
		return "", lifecycle.ErrNotFound
	}
	return table.TextOf(out.Item[fileIDName]), nil
}

// Forget removes an idempotency key whose file does not exist, for example in a table that was edited
// manually. It keeps a key that belongs to another file. The id of a removed file is never reused, so no
// condition on the file is needed in addition to the caller's earlier read.
func (s *Store) Forget(ctx context.Context, hash, fileID string) error {
	err := s.transact(ctx, "forget the key "+hash, types.TransactWriteItem{Delete: s.deleteKey(hash, fileID)})
	if errors.Is(err, lifecycle.ErrFenceLost) {
		return nil
	}
	return err
}

// remove deletes the items of a file; meta is the deletion of its metadata item. It returns
// lifecycle.ErrFenceLost if the condition of meta fails.
func (s *Store) remove(ctx context.Context, what string, f File, meta types.Delete) error {
	writes := []types.TransactWriteItem{
		{Delete: &meta}, {Delete: &types.Delete{TableName: &s.table, Key: historyKey(f.OwnerID, f.FileID)}},
	}
	hash := keyHash(f.S3Key)
	if hash == "" {
		return s.transact(ctx, what, writes...)
	}
	err := s.transact(ctx, what, append(writes, types.TransactWriteItem{Delete: s.deleteKey(hash, f.FileID)})...)
	if errors.Is(err, lifecycle.ErrFenceLost) {
		// The key may belong to another file that was reserved after another call removed this one.
		if other, read := s.ByKey(ctx, hash); read != nil && !errors.Is(read, lifecycle.ErrNotFound) {
			return errors.Join(err, read)
		} else if read == nil && other != f.FileID {
			return s.transact(ctx, what, writes...)
		}
	}
	return err
}

// deleteKey returns the deletion of the item of an idempotency key, on condition that it belongs to the
// file or does not exist.
func (s *Store) deleteKey(hash, fileID string) *types.Delete {
	return &types.Delete{
		TableName: &s.table, Key: keyKey(hash), ConditionExpression: aws.String("attribute_not_exists(PK) OR fileId = :id"),
		ExpressionAttributeValues: table.Key{":id": table.Text(fileID)},
	}
}
