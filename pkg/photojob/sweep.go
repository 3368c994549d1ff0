package photojob

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/table"
)

// ScanLimit is the maximum number of items on a page of Scan.
const ScanLimit = 100

// Scanned is a page of a scan of the table, unordered and eventually consistent. It excludes jobs
// whose time to live has passed.
type Scanned struct {
	Jobs   []Job
	Broken []Broken
	Items  int    // number of items read
	Next   string // cursor of the next page, empty on the last page
}

// Broken is an item that is not a valid job.
type Broken struct {
	JobID string
	Err   error
}

const scanScope = "photojob scan"

// Scan reads up to limit items of the table in all states, since jobs that have ended may have objects
// to remove. It returns table.ErrCursor for a cursor of another list.
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
		j, err := parse(item)
		switch {
		case err != nil:
			page.Broken = append(page.Broken, Broken{JobID: table.TextOf(item[jobIDName]), Err: err})
		case !j.Expired(s.now()):
			page.Jobs = append(page.Jobs, j)
		}
	}
	page.Next, err = table.Cursor(scanScope, out.LastEvaluatedKey)
	return page, err
}

// Jobs reads the jobs with these distinct ids, with strongly consistent reads, and returns those that
// exist, by id. A job that cannot be parsed has only its id.
func (s *Store) Jobs(ctx context.Context, ids []string) (map[string]Job, error) {
	found := map[string]Job{}
	get := table.Get{Table: s.table, Keys: keys(ids), Consistent: true}
	err := table.GetAll(ctx, s.db, get, func(item map[string]table.Value) error {
		j, err := parse(item)
		if err != nil {
			j = Job{JobID: table.TextOf(item[jobIDName])} // reported as existing, so that its objects are kept
		} else if j.Expired(s.now()) {
			return nil
		}
		found[j.JobID] = j
		return nil
	})
	return found, err
}
