package library

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Repair makes a node consistent with its file: it copies state, run, parent and name from the file, removes a node
// without a file, and creates a missing node. It returns lifecycle.ErrFenceLost if one of them was written in the
// meantime.
func (s *Store) Repair(ctx context.Context, p Pair) error {
	var writes []types.TransactWriteItem
	switch {
	case p.File == nil:
		writes = []types.TransactWriteItem{
			{ConditionCheck: &types.ConditionCheck{TableName: &s.files, Key: key(p.Node.ID), ConditionExpression: absent(idName)}},
			{Delete: &types.Delete{
				TableName: &s.nodes, Key: key(p.Node.ID), ConditionExpression: aws.String(seen), ExpressionAttributeValues: version(p.Node.Version),
			}},
		}
	default:
		n := p.node(stamp(s.now()))
		put, err := s.put(s.nodes, idName, n)
		if err != nil {
			return err
		}
		if p.Node != nil {
			put.Put.ConditionExpression, put.Put.ExpressionAttributeValues = aws.String(seen), version(p.Node.Version)
		}
		writes = []types.TransactWriteItem{{ConditionCheck: &types.ConditionCheck{
			TableName: &s.files, Key: key(n.ID), ConditionExpression: aws.String(seen), ExpressionAttributeValues: version(p.File.Version),
		}}, put}
	}
	_, err := s.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	if table.CanceledFor(err, conditionFailed) {
		return lifecycle.ErrFenceLost
	}
	return wrapped("repair", err)
}

const seen = "version = :seen"

func version(n int64) map[string]table.Value {
	return map[string]table.Value{":seen": table.Integer(n)}
}

// node returns the node that the file of a pair should have.
func (p Pair) node(now string) Node {
	f := p.File
	n := Node{ID: f.ID, Type: kindOf(f.Type), CreatedBy: f.CreatedBy, CreatedAt: f.CreatedAt}
	if p.Node != nil {
		n = *p.Node
	}
	n.SubType, n.Name, n.OwnedBy, n.UpdatedBy, n.ParentID, n.IsDeleted = f.Type, f.Name, f.OwnedBy, f.UpdatedBy, f.ParentID, f.IsDeleted
	n.Status, n.Run, n.Images, n.Version, n.UpdatedAt = f.Status, f.Run, f.Images, n.Version+1, now
	n.Blob = &Blob{ID: f.BlobID, Bucket: f.Bucket, Key: f.Key, Length: f.Length, MD5: f.MD5}
	n.TypeOwnedBy = typeOwned(kindOf(f.Type), f.OwnedBy)
	if f.IsDeleted {
		n.TypeOwnedBy = ""
	} else {
		n.TrashedFrom, n.DeletedAt = "", ""
	}
	return n
}

// Expire removes a Loading file and its node. The caller first removes its object, if any. Expire returns
// *lifecycle.MovedError for a file in another state, and lifecycle.ErrFenceLost if the file was written since it was
// read.
func (s *Store) Expire(ctx context.Context, f File) error {
	if f.Status != Loading {
		return fmt.Errorf("expire %s: %w", f.ID, &lifecycle.MovedError{Move: "expire", Found: f.Status})
	}
	_, err := s.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Delete: &types.Delete{TableName: &s.files, Key: key(f.ID), ConditionExpression: aws.String(seen), ExpressionAttributeValues: version(f.Version)}},
		{Delete: &types.Delete{TableName: &s.nodes, Key: key(f.ID)}},
	}})
	if table.CanceledFor(err, conditionFailed) {
		return lifecycle.ErrFenceLost
	}
	return wrapped("expire "+f.ID, err)
}
