package photojob

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/services/analyzer/sweeper"
)

// Retention of the objects of an ended job in the temp bucket. Those of a FAILED job are needed for
// a retry.
const (
	keepCompleted = 48 * time.Hour
	keepFailed    = 14 * 24 * time.Hour
	// expiring is the maximum time between the creation of a job and the last write of its objects, but for
	// retried jobs.
	expiring = 24 * time.Hour
)

// objects checks the objects of one bucket in a sweep. There is one for each bucket, because a
// second listing of a page must not depend on concurrent writes to the other bucket.
type objects struct {
	steps
	bucket *blob.Store
}

func (o objects) List(ctx context.Context, cursor string) ([]blob.Object, bool, error) {
	return o.bucket.List(ctx, "", cursor, blob.PageLimit)
}

// Orphans returns the old objects of jobs that do not exist, and deletes objects that existing jobs
// no longer need. An object that is as old as the lifetime of a job belongs to an expired one; its job is not missing.
func (o objects) Orphans(ctx context.Context, r *sweeper.Run, page []blob.Object) (found sweeper.Comparison, err error) {
	var ids []string
	seen := map[string]bool{} // a request must not contain a key twice
	for _, object := range page {
		if id, err := photojob.JobOf(object.Key); err == nil && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	jobs, err := o.store.Jobs(ctx, ids)
	if err != nil {
		return found, err
	}
	found.Read = len(ids)
	for _, object := range page {
		id, err := photojob.JobOf(object.Key)
		if err != nil {
			continue // not an object of this area
		}
		job, exists := jobs[id]
		switch {
		case exists && o.outdated(r, job, object), !exists && r.Older(object.Modified, photojob.Lifetime):
			r.Found(ctx, outdatedObject, object.Key, func(ctx context.Context) error { return o.Remove(ctx, object.Key) })
		case !r.Old(object.Modified), r.Older(object.Modified, photojob.Lifetime-expiring):
			continue // its job may be about to be written, or have expired
		default:
			found.Compared++
			if !exists {
				found.Orphans = append(found.Orphans, object.Key)
			}
		}
	}
	return found, nil
}

// outdated reports whether an ended job no longer needs an object. A photo in the final bucket that
// is not the job's result was left behind by a worker that crashed.
func (o objects) outdated(r *sweeper.Run, job photojob.Job, object blob.Object) bool {
	if !job.Final() {
		return false
	}
	if strings.HasPrefix(object.Key, photojob.FinalPrefix) {
		return !slices.Contains(photojob.ResultKeys(job.S3FinalKey, job.EditResult), object.Key) && r.Old(object.Modified)
	}
	keep := keepFailed
	if job.Status == photojob.Completed {
		keep = keepCompleted
		if !o.cfg.KeepOriginal && object.Key == job.S3TempKey {
			return true
		}
	}
	return r.Older(job.Updated(), keep)
}

func (o objects) Remove(ctx context.Context, key string) error { return o.bucket.Delete(ctx, key) }
