package photojob

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Batch is a set of jobs that were created together. A batch has no item of its own: each job stores
// the id and the size of its batch, and the ids of the jobs are derived from the batch id.
type Batch struct {
	BatchID string
	Size    int   // number of jobs at creation
	Jobs    []Job // jobs that were not deleted, in order; at least one
}

// Partial is the status of a batch that has ended with some completed and some failed jobs.
const Partial lifecycle.State = "PARTIAL"

// CreateBatch creates the jobs of a batch, all or none. It returns lifecycle.ErrExists if one of them exists.
func (s *Store) CreateBatch(ctx context.Context, batchID string, jobs []Job) (Batch, error) {
	ids, err := childIDs(batchID, len(jobs))
	if err != nil {
		return Batch{}, err
	}
	b := Batch{BatchID: batchID, Size: len(jobs)}
	writes := make([]types.TransactWriteItem, len(jobs))
	for i, j := range jobs {
		if j.JobID != ids[i] {
			return Batch{}, fmt.Errorf("create the batch %s: job %d has the id %s instead of %s", batchID, i+1, j.JobID, ids[i])
		}
		j.BatchID, j.BatchSize = batchID, len(jobs)
		j = s.created(j)
		item, err := j.attributes()
		if err != nil {
			return Batch{}, err
		}
		writes[i].Put = &types.Put{TableName: &s.table, Item: item, ConditionExpression: aws.String("attribute_not_exists(jobId)")}
		b.Jobs = append(b.Jobs, j)
	}
	_, err = s.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	if table.CanceledFor(err, "ConditionalCheckFailed") {
		err = lifecycle.ErrExists
	}
	if err != nil {
		return Batch{}, fmt.Errorf("create the batch %s: %w", batchID, err)
	}
	return b, nil
}

// NewBatch returns the jobs of a new batch, one for each element of terms.
func NewBatch(batchID, userID string, terms []Terms) ([]Job, error) {
	ids, err := childIDs(batchID, len(terms))
	if err != nil {
		return nil, err
	}
	jobs := make([]Job, len(terms))
	for i, t := range terms {
		jobs[i] = t.Job(ids[i], userID)
	}
	return jobs, nil
}

// Batch reads a batch with strongly consistent reads. It returns lifecycle.ErrNotFound if there is none
// or all of its jobs were deleted.
func (s *Store) Batch(ctx context.Context, batchID string) (Batch, error) {
	ids, err := childIDs(batchID, MaxBatch)
	if err != nil {
		return Batch{}, lifecycle.ErrNotFound
	}
	b := Batch{BatchID: batchID}
	get := table.Get{Table: s.table, Keys: keys(ids), Consistent: true}
	err = table.GetAll(ctx, s.db, get, func(item map[string]table.Value) error {
		j, err := parse(item)
		if err != nil || j.BatchID != batchID || j.Expired(s.now()) {
			return err
		}
		b.Jobs, b.Size = append(b.Jobs, j), j.BatchSize
		return nil
	})
	if err != nil {
		return Batch{}, err
	}
	if len(b.Jobs) == 0 {
		return Batch{}, lifecycle.ErrNotFound
	}
	slices.SortFunc(b.Jobs, func(a, b Job) int { return cmp.Compare(a.JobID, b.JobID) })
	return b, nil
}

// Count returns the number of jobs of the batch in a state.
func (b Batch) Count(state lifecycle.State) int {
	n := 0
	for _, j := range b.Jobs {
		if j.Status == state {
			n++
		}
	}
	return n
}

// Deleted returns the number of jobs of the batch that were deleted.
func (b Batch) Deleted() int { return b.Size - len(b.Jobs) }

// Ended reports whether all existing jobs are in a final state.
func (b Batch) Ended() bool { return b.Count(Completed)+b.Count(Failed) == len(b.Jobs) }

// Status returns QUEUED until work on the first job begins, then PROCESSING, and after the end of the
// batch COMPLETED, PARTIAL or FAILED.
func (b Batch) Status() lifecycle.State {
	switch {
	case b.Count(Queued) == len(b.Jobs):
		return Queued
	case !b.Ended():
		return Processing
	case b.Count(Failed) == 0:
		return Completed
	case b.Count(Completed) == 0:
		return Failed
	}
	return Partial
}

// Updated returns the time when a job of the batch last changed its state. For a batch that has ended,
// this is the time of its end.
func (b Batch) Updated() time.Time {
	var newest int64
	for _, j := range b.Jobs {
		newest = max(newest, j.UpdatedAt)
	}
	return time.UnixMilli(newest).UTC()
}

func keys(ids []string) []table.Key {
	all := make([]table.Key, len(ids))
	for i, id := range ids {
		all[i] = key(id)
	}
	return all
}
