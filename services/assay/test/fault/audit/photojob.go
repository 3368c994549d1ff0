package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/policy"
	"github.com/assay-project/assay/services/assay/setup"
)

// photoReader reads photo jobs and derives their batches. The result of a job is the size
// and format of its edited photo, and the result of a batch is its status.
type photoReader struct {
	store       *photojob.Store
	temp, final *blob.Store
}

func photoJobs(cfg setup.Config, stores *backend.Connections) reader {
	r := photoReader{photojob.NewStore(stores.DB, cfg.PhotoJob), stores.Bucket.In(cfg.PhotoJob.TempBucket()), stores.Bucket.In(cfg.PhotoJob.FinalBucket())}
	return reader{read: r.read}
}

func (r photoReader) read(ctx context.Context) (map[string]*held, error) {
	uploads, err := keys(ctx, r.temp, photojob.UploadPrefix)
	if err != nil {
		return nil, err
	}
	edits, err := keys(ctx, r.final, photojob.FinalPrefix)
	if err != nil {
		return nil, err
	}
	items := map[string]*held{}
	for _, found := range []map[string]bool{uploads, edits} {
		for key := range found {
			if id, err := photojob.JobOf(key); err == nil {
				items[id] = &held{stuck: []string{"its bytes exist, but the item does not"}}
			}
		}
	}
	batches := map[string]photojob.Batch{}
	for cursor, more := "", true; more; more = cursor != "" {
		page, err := r.store.Scan(ctx, cursor, photojob.ScanLimit)
		if err != nil {
			return nil, err
		}
		for _, broken := range page.Broken {
			return nil, broken.Err
		}
		for _, job := range page.Jobs {
			items[job.JobID] = photoHeld(job, uploads, edits)
			if job.BatchID != "" {
				b := batches[job.BatchID]
				b.BatchID, b.Size, b.Jobs = job.BatchID, job.BatchSize, append(b.Jobs, job)
				batches[job.BatchID] = b
			}
		}
		cursor = page.Next
	}
	for id, b := range batches {
		items[id] = &held{exists: true, state: b.Status(), final: b.Ended(), ended: b.Updated(), result: string(b.Status()), bytes: true}
	}
	return items, nil
}

func photoHeld(job photojob.Job, uploads, edits map[string]bool) *held {
	one := &held{
		exists: true, state: job.Status, final: job.Final(), failed: job.Status == photojob.Failed,
		ended: job.Updated(), bytes: uploads[job.S3TempKey],
	}
	if e := job.EditResult; e != nil {
		one.result, one.bytes = fmt.Sprintf("%d × %d %s", e.Width, e.Height, e.Format), edits[e.S3Key]
	}
	if job.Error != nil {
		one.reason = job.Error.Message
	}
	one.quiet = one.failed && job.Error != nil && job.Error.Code == photojob.CodeCanceled
	// Calls of a paid provider may be repeated; the tests of that provider compare the
	// recorded calls with the bills.
	once := maps.Clone(job.Calls)
	maps.DeleteFunc(once, func(_ string, c photojob.Call) bool { return slices.Contains(policy.Paid(), c.Provider) })
	for _, step := range []string{photojob.StepAnalyze, photojob.StepEdit} {
		if n := once.Paid(step); n > 1 {
			one.twice = append(one.twice, fmt.Sprintf("%d calls of the step %s may have been billed", n, step))
		}
	}
	return one
}
