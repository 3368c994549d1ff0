package photojob

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/table"
)

// ScanLimit is the most items that a page of Scan may have.
const ScanLimit = 100

// Scanned is a page of the whole table, in no order and eventually consistent: what it
// says is a hint to look. It leaves out jobs whose time to live is over.
type Scanned struct {
	Jobs   []Job
	Broken []Broken
	Items  int    // all of the page's items
	Next   string // cursor of the next page, empty on the last
}

// Broken is what cannot be read as a job.
type Broken struct {
	JobID string
	Err   error
}

const scanScope = "photojob scan"

// Scan reads up to limit items of the table. A sweep looks at all of them: those that
// ended may have objects to remove. It returns table.ErrCursor.
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

// Jobs returns those jobs of these ids, all different, that exist, by their ids and
// strongly consistent. At most what GetAll reads at once is asked for at a time.
func (s *Store) Jobs(ctx context.Context, ids []string) (map[string]Job, error) {
	found := map[string]Job{}
	get := table.Get{Table: s.table, Keys: keys(ids), Consistent: true}
	err := table.GetAll(ctx, s.db, get, func(item map[string]table.Value) error {
		j, err := parse(item)
		if err != nil {
			j = Job{JobID: table.TextOf(item[jobIDName])} // its objects are left for a person
		} else if j.Expired(s.now()) {
			return nil
		}
		found[j.JobID] = j
		return nil
	})
	return found, err
}
