// Package photojob accepts photos: it reserves uploads, singly or in batches, receives bytes,
// publishes the work for finished uploads, and retries, cancels and deletes jobs.
package photojob

import (
	"context"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/policy"
	"github.com/assay-project/assay/pkg/photojob/rendition"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/services/ingest/accept"
)

// uploadExpires is the lifetime of a presigned upload.
const uploadExpires = 15 * time.Minute

// Area accepts photos.
type Area struct {
	*accept.Items[photojob.Job]
	store    *photojob.Store
	final    *blob.Store // the edited photos; the bucket of the items contains the uploads
	outcomes *photojob.Outcomes
	policies *policy.Store
	urls     *rendition.Signer
}

// New returns the area for open backends.
func New(cfg Config, backends *backend.Connections, shared accept.Shared) *Area {
	a := &Area{
		store:    photojob.NewStore(backends.DB, cfg.Names),
		policies: policy.NewStore(platform.NewStore(backends.DB, cfg.Platform)),
		urls:     rendition.NewSigner(platform.NewStore(backends.DB, cfg.Platform)),
	}
	var temp *blob.Store
	if backends.Bucket != nil { // nil if the area only describes its operations
		temp, a.final = backends.Bucket.In(cfg.Names.TempBucket()), backends.Bucket.In(cfg.Names.FinalBucket())
	}
	a.outcomes = &photojob.Outcomes{Store: a.store, Final: cfg.Names.FinalBucket(), Bus: backends.Bus}
	a.Items = accept.New(shared, accept.Area[photojob.Job]{
		Name: photojob.Name, Stream: photojob.WorkStream, Bucket: temp, Path: "/v1/photos/",
		Nouns: accept.Nouns{
			Missing: "There is no photo job with this id.", Item: "job", Content: "photo",
			Again: "Delete the job and create another.",
		},
		Upload: photojob.Job.Upload, Find: a.store.Get, Owns: a.owns, Clean: a.clean, Problem: problem, Check: a.store.Check,
		Worked: func(subject string) (id string, mine bool) {
			return subject[strings.LastIndexByte(subject, '.')+1:], strings.HasPrefix(subject, strings.TrimSuffix(photojob.Work().Subjects, ">"))
		},
		Retry: func(ctx context.Context, j photojob.Job) (photojob.Job, error) {
			return a.again(j.Prompt, j.Options)(ctx, j)
		},
		Delete: func(ctx context.Context, j photojob.Job) (photojob.Job, error) { return a.store.Delete(ctx, j.JobID) },
	})
	return a
}

func (a *Area) owns(o blob.Object) (id string, mine bool) {
	if o.Bucket != a.Bucket.Bucket {
		return "", o.Bucket == a.final.Bucket
	}
	id, _ = photojob.JobOf(o.Key) // "" for other objects
	return id, true
}

// discard deletes a job with its photos, and announces the end of its batch. A worker that is processing the job fails to
// move it and deletes its objects. A sweep deletes any that remain.
func (a *Area) discard(ctx context.Context, job photojob.Job) (photojob.Job, error) {
	removed, err := a.Remove(ctx, job)
	if err == nil && !removed.Final() {
		err = a.outcomes.BatchEnded(ctx, job.BatchID)
	}
	return removed, err
}

// clean deletes the upload, the responses and the edited photo of a job, with its previews.
func (a *Area) clean(ctx context.Context, job photojob.Job) error {
	keys := []string{job.S3TempKey}
	for _, call := range job.Calls.Calls() {
		keys = append(keys, photojob.AnswerKey(job.JobID, call.N))
	}
	for _, key := range keys {
		if err := a.Bucket.Delete(ctx, key); err != nil {
			return err
		}
	}
	if job.S3FinalKey == "" {
		return nil
	}
	for _, key := range photojob.ResultKeys(job.S3FinalKey, job.EditResult) {
		if err := a.final.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}
