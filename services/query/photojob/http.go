package photojob

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/rendition"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/wait"
)

// Routes registers the calls that read photo jobs.
func (a *Area) Routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "get-photo", Method: http.MethodGet, Path: "/v1/photos/{id}", Tags: []string{"photos"},
		Summary: "Get a photo job",
	}, a.getJob, wait.Refusals)
	web.Register(r, huma.Operation{
		OperationID: "download-photo", Method: http.MethodGet, Path: "/v1/photos/{id}/download", Tags: []string{"photos"},
		Summary:       "Download the edited photo, the original, or a preview",
		Description:   "Redirects to a presigned URL that is valid for 15 minutes. Returns 409 until the job is COMPLETED and 410 after the photo has been removed.",
		DefaultStatus: http.StatusTemporaryRedirect,
	}, a.download, web.Refusals{http.StatusConflict: {"not-completed"}, http.StatusGone: {"photo-removed"}})
	r.Handle(renditionOperation(), a.rendition, web.Refusals{
		http.StatusNotFound: {"rendition-not-found"}, http.StatusForbidden: {"signature-invalid", "url-expired"}, http.StatusConflict: {"not-completed"}, http.StatusGone: {"photo-removed"},
		http.StatusUnprocessableEntity: {"not-drawn"}, http.StatusTooManyRequests: {"too-many-at-once"},
	})
	web.Register(r, huma.Operation{
		OperationID: "list-photos", Method: http.MethodGet, Path: "/v1/owners/{ownerId}/photos", Tags: []string{"photos"},
		Summary: "List an owner's photo jobs, newest first",
	}, a.list)
	web.Register(r, huma.Operation{
		OperationID: "get-photo-batch", Method: http.MethodGet, Path: "/v1/photo-batches/{id}", Tags: []string{"photos"},
		Summary: "Get a batch of photo jobs",
	}, a.getBatch, wait.Refusals)
	a.explainRoute(r)
}

// OperatorRoutes registers the lists that span all owners.
func (a *Area) OperatorRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "list-photos-by-status", Method: http.MethodGet, Path: "/v1/photos", Tags: []string{"photos"},
		Summary: "List the photo jobs of all owners in a state, newest first",
	}, a.listByStatus)
	web.Register(r, huma.Operation{
		OperationID: "list-photo-calls", Method: http.MethodGet, Path: "/v1/photos/{id}/calls", Tags: []string{"photos"},
		Summary: "List the provider calls of a job",
	}, a.calls)
}

// owned returns a function that reads a job of the caller. It returns lifecycle.ErrNotFound for a job of
// another owner.
func (a *Area) owned(caller web.Caller) func(context.Context, string) (photojob.Job, error) {
	return func(ctx context.Context, id string) (photojob.Job, error) {
		job, err := a.store.Get(ctx, id)
		if err == nil && job.UserID != caller.Owner {
			return photojob.Job{}, lifecycle.ErrNotFound
		}
		return job, err
	}
}

type getInput struct {
	web.CallerParam
	ID string `path:"id" doc:"a ULID"`
	wait.Param
}

type jobOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         photojob.JobView
}

func (a *Area) getJob(ctx context.Context, in *getInput) (*jobOutput, error) {
	job, err := wait.Read(ctx, a.waits, photojob.Name, in.ID, in.Param, a.owned(in.Caller), photojob.Job.Final)
	if err != nil {
		return nil, problem(err)
	}
	return &jobOutput{CacheControl: "no-store", Body: job.View()}, nil
}

type batchOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         photojob.BatchView
}

func (a *Area) getBatch(ctx context.Context, in *getInput) (*batchOutput, error) {
	get := func(ctx context.Context, id string) (photojob.Batch, error) {
		batch, err := a.store.Batch(ctx, id)
		if err == nil && batch.Jobs[0].UserID != in.Caller.Owner {
			return batch, lifecycle.ErrNotFound
		}
		return batch, err
	}
	batch, err := wait.Read(ctx, a.waits, photojob.Name, in.ID, in.Param, get, photojob.Batch.Ended)
	if err != nil {
		return nil, problem(err)
	}
	return &batchOutput{CacheControl: "no-store", Body: batch.View()}, nil
}

type downloadInput struct {
	web.CallerParam
	ID      string `path:"id" doc:"a ULID"`
	Variant string `query:"variant" enum:"final,original,preview,original-preview" default:"final" doc:"a preview is a JPEG or PNG of at most 1,200 pixels per side; it is kept as long as the edited photo"`
	Output  int    `query:"output" minimum:"1" maximum:"8" doc:"the number of a further result, from 1; variant must be final"`
}

type downloadOutput struct {
	Location     string `header:"Location"`
	CacheControl string `header:"Cache-Control"`
}

// downloadExpires is the lifetime of a presigned URL.
const downloadExpires = 15 * time.Minute

var (
	errNotCompleted = errors.New("the job is not COMPLETED")
	errRemoved      = errors.New("the photo has been removed")
)

func (a *Area) download(ctx context.Context, in *downloadInput) (*downloadOutput, error) {
	job, err := a.owned(in.Caller)(ctx, in.ID)
	if err != nil {
		return nil, problem(err)
	}
	bucket, key, name := a.temp, job.S3TempKey, job.OriginalFileName
	if in.Variant != "original" {
		if job.Status != photojob.Completed {
			return nil, problem(errNotCompleted)
		}
		bucket, key, name = a.final, job.S3FinalKey, nameOf(job)
	}
	if in.Output > 0 && in.Variant == "final" {
		if job.EditResult == nil || in.Output > len(job.EditResult.Outputs) {
			return nil, web.Invalid(web.FieldError{Field: "query.output", Message: "the job has no such output"})
		}
		key = job.EditResult.Outputs[in.Output-1].S3Key
		name = strings.TrimSuffix(name, path.Ext(name)) + fmt.Sprintf("-%d", in.Output) + path.Ext(key)
	}
	switch in.Variant {
	case "preview":
		key = photojob.PreviewKey(key)
	case "original-preview":
		key = photojob.OriginalPreviewKey(key)
	}
	if _, err := bucket.Head(ctx, key); errors.Is(err, blob.ErrNotFound) {
		if job.Status == photojob.Queued {
			return nil, problem(errNotCompleted) // not uploaded yet
		}
		return nil, problem(errRemoved)
	} else if err != nil {
		return nil, err
	}
	url, err := bucket.PresignGet(ctx, key, name, downloadExpires)
	return &downloadOutput{Location: url, CacheControl: "no-store"}, err
}

// nameOf returns the name of the edited photo: the name of the original with the extension of the new format.
func nameOf(job photojob.Job) string {
	original := job.OriginalFileName
	if original == "" {
		original = job.JobID
	}
	return strings.TrimSuffix(original, path.Ext(original)) + path.Ext(job.S3FinalKey)
}

type listInput struct {
	web.CallerParam
	OwnerID string `path:"ownerId"`
	Limit   int32  `query:"limit" minimum:"1" maximum:"100" default:"20"`
	Cursor  string `query:"cursor" doc:"the nextCursor of the previous page"`
	Status  string `query:"status" enum:"QUEUED,PROCESSING,EDITING,COMPLETED,FAILED"`
}

type listOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         jobList
}

type jobList struct {
	Photos     []photojob.JobView `json:"photos" doc:"may be fewer than limit, or none, even if there is a nextCursor"`
	NextCursor string             `json:"nextCursor,omitempty" doc:"absent on the last page"`
}

func (a *Area) list(ctx context.Context, in *listInput) (*listOutput, error) {
	if err := in.Caller.ActFor(in.OwnerID, "path.ownerId"); err != nil {
		return nil, err
	}
	return a.page(ctx, photojob.Listing{UserID: in.OwnerID, Status: lifecycle.State(in.Status), Limit: in.Limit, Cursor: in.Cursor})
}

type statusInput struct {
	Status string    `query:"status" required:"true" enum:"QUEUED,PROCESSING,EDITING,COMPLETED,FAILED"`
	From   time.Time `query:"from" doc:"only jobs created at this time or later"`
	Limit  int32     `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor string    `query:"cursor" doc:"the nextCursor of the previous page"`
}

func (a *Area) listByStatus(ctx context.Context, in *statusInput) (*listOutput, error) {
	l := photojob.Listing{Status: lifecycle.State(in.Status), Limit: in.Limit, Cursor: in.Cursor}
	if !in.From.IsZero() {
		l.From = in.From.UnixMilli()
	}
	return a.page(ctx, l)
}

func (a *Area) page(ctx context.Context, l photojob.Listing) (*listOutput, error) {
	page, err := a.store.List(ctx, l)
	if err != nil {
		return nil, problem(err)
	}
	list := jobList{Photos: web.Views(page.Jobs, photojob.Job.View), NextCursor: page.NextCursor}
	return &listOutput{CacheControl: "no-store", Body: list}, nil
}

type callsOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         callList
}

type callList struct {
	Calls      []photojob.CallView `json:"calls" doc:"oldest first"`
	CostMicros int64               `json:"costMicros" doc:"the cost of all calls, in millionths of a US dollar; an upper bound on the billed amount"`
}

type callsInput struct {
	ID string `path:"id" doc:"a ULID"`
}

func (a *Area) calls(ctx context.Context, in *callsInput) (*callsOutput, error) {
	job, err := a.store.Get(ctx, in.ID)
	if err != nil {
		return nil, problem(err)
	}
	list := callList{Calls: web.Views(job.Calls.Calls(), photojob.Call.View), CostMicros: job.Calls.CostMicros()}
	return &callsOutput{CacheControl: "no-store", Body: list}, nil
}

// problem translates errors that a client can resolve.
func problem(err error) error {
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return web.NotFound("There is no photo job or batch with this id.")
	case errors.Is(err, errNotCompleted):
		return web.NewProblem(http.StatusConflict, "not-completed", "The photo is not available yet. Wait until the job is COMPLETED.")
	case errors.Is(err, errRemoved):
		return web.NewProblem(http.StatusGone, "photo-removed", "The photo has been removed.")
	case errors.Is(err, rendition.ErrSignature):
		return web.NewProblem(http.StatusForbidden, "signature-invalid", "The signature of the URL is missing or does not match its path and expiry.")
	case errors.Is(err, rendition.ErrExpired):
		return web.NewProblem(http.StatusForbidden, "url-expired", "The URL has expired. Ask the owner of the photo for another one.")
	case errors.Is(err, table.ErrCursor):
		return web.InvalidCursor()
	}
	return err
}
