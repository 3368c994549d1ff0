package textfile

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Listing selects a page of an owner's files.
type Listing struct {
	OwnerID string
	Status  lifecycle.State // empty lists all
	Limit   int32           // most files on the page, above 0
	Cursor  string          // of the page before; empty for the first
}

// Page is one page of a list. Files carry no Result. NextCursor is empty on
// the last page.
type Page struct {
	Files      []File
	NextCursor string
}

// readsPerPage bounds the reads of a page with a rare status. The page then has fewer files than
// requested, or none, and still a NextCursor.
const readsPerPage = 20

// List reads a page of an owner's files, newest first, strongly consistent.
// It returns table.ErrCursor for a cursor of another list.
func (s *Store) List(ctx context.Context, l Listing) (Page, error) {
	scope := "textfile/" + l.OwnerID
	start, err := table.ParseCursor(scope, l.Cursor)
	if err == nil && start != nil && !inHistory(l.OwnerID, start) {
		err = table.ErrCursor
	}
	if err != nil {
		return Page{}, err
	}
	readSize := l.Limit
	builder := expression.NewBuilder().
		WithKeyCondition(expression.KeyEqual(expression.Key(partitionKey), expression.Value(ownerPrefix+l.OwnerID)))
	if l.Status != "" {
		// Most of what is read may be filtered out, so small pages would need many reads.
		readSize = max(readSize, 100)
		builder = builder.WithFilter(expression.Name(statusName).Equal(expression.Value(string(l.Status))))
	}
	expr, err := builder.Build()
	if err != nil {
		return Page{}, fmt.Errorf("list: %w", err)
	}

	var page Page
	for range readsPerPage {
		out, err := s.db.Query(ctx, &dynamodb.QueryInput{
			TableName: &s.table, ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(false),
			KeyConditionExpression: expr.KeyCondition(), FilterExpression: expr.Filter(),
			ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
			Limit: &readSize, ExclusiveStartKey: start,
		})
		if err != nil {
			return Page{}, fmt.Errorf("list: %w", err)
		}
		var files []File
		if err := attributevalue.UnmarshalListOfMaps(out.Items, &files); err != nil {
			return Page{}, fmt.Errorf("list: %w", err)
		}
		start = out.LastEvaluatedKey
		if room := int(l.Limit) - len(page.Files); len(files) > room {
			files = files[:room]
			last := files[room-1]
			start = historyKey(last.OwnerID, last.FileID)
		}
		page.Files = append(page.Files, files...)
		if start == nil || len(page.Files) == int(l.Limit) {
			break
		}
	}
	page.NextCursor, err = table.Cursor(scope, start)
	return page, err
}

// inHistory reports whether a key belongs to an owner's list: a forged cursor could name any key.
func inHistory(ownerID string, start table.Key) bool {
	var parts struct{ PK, SK string }
	err := attributevalue.UnmarshalMap(start, &parts)
	return err == nil && len(start) == 2 && parts.PK == ownerPrefix+ownerID && strings.HasPrefix(parts.SK, filePrefix)
}
