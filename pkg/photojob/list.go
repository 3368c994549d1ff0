package photojob

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// The default limits of lists, those of the seed.
const (
	UserLimit   = 20
	StatusLimit = 100
)

// Listing asks for a page of jobs.
type Listing struct {
	UserID string          // whose jobs; empty for those of all users in a state
	Status lifecycle.State // empty for all states of one user
	From   int64           // epoch milliseconds of the oldest job; 0 for any
	Limit  int32           // most jobs on the page; UserLimit or StatusLimit by default
	Cursor string          // of the page before; empty for the first
}

// Page is one page of a list, newest first and eventually consistent, as indexes are.
// NextCursor is empty on the last page.
type Page struct {
	Jobs       []Job
	NextCursor string
}

// readsPerPage bounds the reads that a page with a rare status may cost; the page then
// has fewer jobs than asked, or none, and a NextCursor nevertheless.
const readsPerPage = 20

// List reads a page of jobs. It returns table.ErrCursor for a cursor of another list.
func (s *Store) List(ctx context.Context, l Listing) (Page, error) {
	index, hash, value, size := IndexByUser, userIDName, l.UserID, int32(UserLimit)
	if l.UserID == "" {
		index, hash, value, size = IndexByStatus, statusName, string(l.Status), StatusLimit
	}
	if l.Limit > 0 {
		size = l.Limit
	}
	scope := index + "/" + value
	start, err := table.ParseCursor(scope, l.Cursor)
	if err == nil && start != nil && (len(start) != 3 || table.TextOf(start[hash]) != value) {
		err = table.ErrCursor
	}
	if err != nil {
		return Page{}, err
	}
	live := expression.Name(ttlName).GreaterThan(expression.Value(s.now().Unix()))
	read := size
	if l.UserID != "" && l.Status != "" {
		// Most of what is read may be filtered out, so small reads would be many.
		read = max(size, 100)
		live = live.And(expression.Name(statusName).Equal(expression.Value(string(l.Status))))
	}
	condition := expression.KeyEqual(expression.Key(hash), expression.Value(value))
	if l.From > 0 {
		condition = condition.And(expression.Key(createdAtName).GreaterThanEqual(expression.Value(l.From)))
	}
	expr, err := expression.NewBuilder().WithKeyCondition(condition).WithFilter(live).Build()
	if err != nil {
		return Page{}, fmt.Errorf("list: %w", err)
	}
	var page Page
	for range readsPerPage {
		out, err := s.db.Query(ctx, &dynamodb.QueryInput{
			TableName: &s.table, IndexName: &index, ScanIndexForward: aws.Bool(false), Limit: &read, ExclusiveStartKey: start,
			KeyConditionExpression: expr.KeyCondition(), FilterExpression: expr.Filter(),
			ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
		})
		if err != nil {
			return Page{}, fmt.Errorf("list: %w", err)
		}
		start = out.LastEvaluatedKey
		for _, item := range out.Items {
			if len(page.Jobs) == int(size) {
				last := page.Jobs[size-1]
				start = table.Key{jobIDName: table.Text(last.JobID), hash: table.Text(value), createdAtName: table.Integer(last.CreatedAt)}
				break
			}
			j, err := parse(item)
			if err != nil {
				return Page{}, err
			}
			page.Jobs = append(page.Jobs, j)
		}
		if start == nil || len(page.Jobs) == int(size) {
			break
		}
	}
	page.NextCursor, err = table.Cursor(scope, start)
	return page, err
}
