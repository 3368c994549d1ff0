package audit_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
)

// photos stores photo jobs in a system under audit.
type photos struct {
	*fixture
	store *photojob.Store
	cfg   photojob.Config
}

// completed stores a job that is COMPLETED, with its photos and its outcome.
func (p photos) completed(ctx context.Context, t *testing.T, id, batchID string, lostCalls int) photojob.Job {
	t.Helper()
	job := photojob.Terms{FileName: "a.jpg", Size: 1, ContentType: "image/jpeg"}.Completed().Job(id, "o")
	if job.BatchID = batchID; batchID != "" {
		job.BatchSize = 1
	}
	put := func(bucket, key string) {
		must[blob.Object](t)(p.Bucket().In(bucket).Put(ctx, key, "image/jpeg", nil, strings.NewReader("x")))
	}
	put(p.cfg.TempBucket(), job.S3TempKey)
	job = must[photojob.Job](t)(p.store.Claim(ctx, must[photojob.Job](t)(p.store.Create(ctx, job))))
	edit := photojob.Call{Step: photojob.StepEdit, Provider: photojob.Stub}
	job = must[photojob.Job](t)(p.store.Begin(ctx, job, edit))
	settled := func(outcome string) photojob.Job {
		call, _ := job.Calls.Last()
		call.Outcome = outcome
		return job.Answered(call)
	}
	for range lostCalls {
		job = must[photojob.Job](t)(p.store.Resume(ctx, job, settled(photojob.CallUnknown), edit))
	}
	after := settled(photojob.CallOK)
	after.EditResult = &photojob.EditResult{S3Key: photojob.FinalKey(id, 1, "png"), Width: 1, Height: 2, Format: "png"}
	put(p.cfg.FinalBucket(), after.EditResult.S3Key)
	job = must[photojob.Job](t)(p.store.Complete(ctx, job, after))
	if err := p.bus.Publish(ctx, job.Outcome(p.cfg.FinalBucket())); err != nil {
		t.Fatal(err)
	}
	return job
}

// TestBrokenPromisesOfPhotosAreFound: an audit finds broken promises of jobs and batches, and
// reports no others.
func TestBrokenPromisesOfPhotosAreFound(t *testing.T) {
	h, ctx := open(t), t.Context()
	cfg := photojob.Config{Env: "test"}
	p := photos{h, photojob.NewStore(h.DB(), cfg), cfg}
	id := func() string { return must[string](t)(photojob.NewID("", "")) }
	var promises []audit.Promise
	want := map[string]audit.Kind{}
	promise := func(id string, kind audit.Kind, result string) {
		promises = append(promises, audit.Promise{Run: "case", Area: photojob.Name, ID: id, At: time.Now(), Result: result})
		if kind != "" {
			want[id] = kind
		}
	}
	const edited = "1 × 2 png"
	promise(p.completed(ctx, t, id(), "", 0).JobID, "", edited)
	promise(p.completed(ctx, t, id(), "", 0).JobID, audit.Lost, "2 × 1 png")
	promise(p.completed(ctx, t, id(), "", 1).JobID, audit.Doubled, edited)
	removed := p.completed(ctx, t, id(), "", 0)
	if err := h.Bucket().In(cfg.FinalBucket()).Delete(ctx, removed.S3FinalKey); err != nil {
		t.Fatal(err)
	}
	promise(removed.JobID, audit.Lost, edited)
	waiting := must[photojob.Job](t)(p.store.Create(ctx, photojob.Terms{FileName: "a.jpg"}.Completed().Job(id(), "o")))
	promise(waiting.JobID, audit.Stuck, edited)
	orphan := id()
	must[blob.Object](t)(h.Bucket().In(cfg.FinalBucket()).Put(ctx, photojob.FinalKey(orphan, 1, "png"), "image/png", nil, strings.NewReader("x")))
	want[orphan] = audit.Stuck
	want[p.completed(ctx, t, id(), "", 0).JobID] = audit.Doubled // without a promise
	announced, silent := id(), id()
	for _, batchID := range []string{announced, silent} {
		promise(p.completed(ctx, t, must[[]photojob.Job](t)(photojob.NewBatch(batchID, "o", make([]photojob.Terms, 1)))[0].JobID, batchID, 0).JobID, "", edited)
	}
	if err := h.bus.Publish(ctx, must[photojob.Batch](t)(p.store.Batch(ctx, announced)).Outcome()); err != nil {
		t.Fatal(err)
	}
	promise(announced, "", "COMPLETED")
	promise(silent, audit.Lost, "COMPLETED")

	compare(t, must[audit.Report](t)(h.Audit(ctx, promises, 0)), want)
}
