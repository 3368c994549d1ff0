package photojob

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// The default limits of lists, as in the seed.
const (
	UserLimit   = 20
	StatusLimit = 100
)

// Listing selects a page of jobs.
type Listing struct {
	UserID string          // the owner of the jobs; if empty, the jobs of all owners in one state are listed
	Status lifecycle.State // empty for all states, which requires UserID
	From   int64           // earliest creation time in epoch milliseconds; 0 for any
	Limit  int32           // maximum jobs on the page; UserLimit or StatusLimit by default
	Cursor string          // NextCursor of the previous page; empty for the first
}

// Page is one page of a list, newest first. It is read from an index and is therefore eventually
// consistent. NextCursor is empty on the last page.
type Page struct {
	Jobs       []Job
	NextCursor string
}

// List reads a page of jobs. A page for a rare status may have fewer jobs than Limit, or none, and still
// have a NextCursor. It returns table.ErrCursor for a cursor of another list.
func (s *Store) List(ctx context.Context, l Listing) (Page, error) {
	list, limit := s.indexed(IndexByUser, userIDName, l.UserID), int32(UserLimit)
	if l.UserID == "" {
		list, limit = s.indexed(IndexByStatus, statusName, string(l.Status)), StatusLimit
	}
	if l.Limit > 0 {
		limit = l.Limit
	}
	filter := expression.Name(ttlName).GreaterThan(expression.Value(s.now().Unix()))
	if l.UserID != "" && l.Status != "" {
		filter, list.Sparse = filter.And(expression.Name(statusName).Equal(expression.Value(string(l.Status)))), true
	}
	list.Filter = &filter
	if l.From > 0 {
		since := expression.Key(createdAtName).GreaterThanEqual(expression.Value(l.From))
		list.Range = &since
	}
	items, next, err := list.Page(ctx, s.db, limit, l.Cursor)
	if err != nil {
		return Page{}, err
	}
	page := Page{NextCursor: next}
	for _, item := range items {
		job, err := parse(item)
		if err != nil {
			return Page{}, err
		}
		page.Jobs = append(page.Jobs, job)
	}
	return page, nil
}

// indexed returns the list of the jobs with a value in an index, which is sorted by their creation.
func (s *Store) indexed(index, hash, value string) table.Partition {
	return table.Partition{Table: s.table, Index: index, Hash: hash, Value: value, Keys: []string{jobIDName, hash, createdAtName}}
}

// After returns the cursor of the page of the user's jobs that begins after a job, which need not exist any more.
func (s *Store) After(j Job) (cursor string, err error) {
	return s.indexed(IndexByUser, userIDName, j.UserID).After(table.Key{
		jobIDName: table.Text(j.JobID), userIDName: table.Text(j.UserID), createdAtName: table.Integer(j.CreatedAt),
	})
}
