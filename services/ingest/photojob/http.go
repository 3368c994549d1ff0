package photojob

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/admission"
)

// Routes registers the operations that write.
func (a *Area) Routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "create-photo", Method: http.MethodPost, Path: "/v1/photos", Tags: []string{"photos"},
		Summary: "Upload a photo, or reserve an upload",
		Description: "With a JSON body, creates a job and returns a presigned request for its photo. " +
			"With multipart/form-data, accepts the photo in the part \"file\", and the parts \"prompt\" and \"options\" (JSON), and returns 202 with the job. " +
			"A photo is a JPEG, PNG, WebP or HEIC of at most 20 MB and 50 megapixels.",
		DefaultStatus: http.StatusCreated,
		Middlewares: huma.Middlewares{web.OnMediaType("multipart/form-data", func(w http.ResponseWriter, req *http.Request) {
			a.postMultipart(w, req, r.Bodies)
		})},
		RequestBody: accept.FormBody(map[string]*huma.Schema{promptPart: {Type: "string"}, optionsPart: {Type: "string"}}),
		Responses:   accept.FormTaken[photojob.JobView](r, "The photo is stored and will be edited", "Location"),
	}, a.postPhoto, admission.Refusals, quota.Refusals, web.Refusals{http.StatusBadRequest: {"owner-required"}, http.StatusUnprocessableEntity: {"idempotency-key-reused"}, http.StatusConflict: {"provider-disabled", "not-uploaded", "not-as-reserved"}, http.StatusRequestEntityTooLarge: {"file-too-large"}, http.StatusUnsupportedMediaType: {"not-a-photo"}})
	web.Register(r, huma.Operation{
		OperationID: "create-photo-batch", Method: http.MethodPost, Path: "/v1/photo-batches", Tags: []string{"photos"},
		Summary:       "Reserve the uploads of up to 20 photos",
		Description:   "Creates all jobs or none. The batch is finished when each of its jobs is COMPLETED, FAILED or deleted; this is announced once.",
		DefaultStatus: http.StatusCreated,
	}, a.postBatch, admission.Refusals, quota.Refusals, web.Refusals{http.StatusBadRequest: {"owner-required"}, http.StatusUnprocessableEntity: {"idempotency-key-reused"}, http.StatusConflict: {"provider-disabled"}, http.StatusRequestEntityTooLarge: {"file-too-large"}, http.StatusUnsupportedMediaType: {"not-a-photo"}})
	for _, op := range []struct {
		id, path, summary string
		call              func(context.Context, *jobInput) (*jobOutput, error)
	}{
		{"photo-uploaded", "/v1/photos/{id}/uploaded", "Report that the presigned upload is finished", a.postUploaded},
		{"cancel-photo", "/v1/photos/{id}/cancel", "End a job as FAILED, with the code CANCELLED", a.postCancel},
	} {
		web.Register(r, huma.Operation{
			OperationID: op.id, Method: http.MethodPost, Path: op.path, Tags: []string{"photos"}, Summary: op.summary, DefaultStatus: http.StatusAccepted,
		}, op.call, web.Refusals{http.StatusConflict: {"not-uploaded", "not-as-reserved", "wrong-status", "changed-meanwhile"}, http.StatusGone: {"upload-removed"}})
	}
	web.Register(r, huma.Operation{
		OperationID: "retry-photo", Method: http.MethodPost, Path: "/v1/photos/{id}/retry", Tags: []string{"photos"},
		Summary: "Queue a FAILED job again, optionally with another prompt and options", DefaultStatus: http.StatusAccepted,
	}, a.postRetry, web.Refusals{http.StatusConflict: {"not-uploaded", "not-as-reserved", "wrong-status", "changed-meanwhile", "provider-disabled"}, http.StatusGone: {"upload-removed"}})
	web.Register(r, huma.Operation{
		OperationID: "delete-photo", Method: http.MethodDelete, Path: "/v1/photos/{id}", Tags: []string{"photos"},
		Summary: "Delete a job and its photos", DefaultStatus: http.StatusNoContent,
	}, a.deletePhoto, web.Refusals{http.StatusConflict: {"wrong-status", "changed-meanwhile"}})
	web.Register(r, huma.Operation{
		OperationID: "retry-photo-batch", Method: http.MethodPost, Path: "/v1/photo-batches/{id}/retry", Tags: []string{"photos"},
		Summary: "Queue the FAILED jobs of a batch again", DefaultStatus: http.StatusAccepted,
	}, a.postBatchRetry, web.Refusals{http.StatusConflict: {"wrong-status", "changed-meanwhile", "provider-disabled"}, http.StatusGone: {"upload-removed"}})
	web.Register(r, huma.Operation{
		OperationID: "delete-photo-batch", Method: http.MethodDelete, Path: "/v1/photo-batches/{id}", Tags: []string{"photos"},
		Summary: "Delete the jobs of a batch and their photos", DefaultStatus: http.StatusNoContent,
	}, a.deleteBatch, web.Refusals{http.StatusConflict: {"wrong-status", "changed-meanwhile"}})
}

// PhotoTerms are the properties of one photo in a request body.
type PhotoTerms struct {
	FileName    string `json:"fileName" minLength:"1" maxLength:"255" doc:"stored and shown as given"`
	Size        int64  `json:"size" minimum:"1" doc:"exact size in bytes"`
	ContentType string `json:"contentType" example:"image/jpeg" doc:"image/jpeg, image/png, image/webp, image/heic or image/heif; the content must be of this type"`
	SHA256      string `json:"sha256,omitempty" maxLength:"64" doc:"digest of the content, in hex or base64; S3 rejects other content"`
	Prompt      string `json:"prompt,omitempty" maxLength:"2000" doc:"how to edit the photo, such as \"auto levels, crop 1:1 to faces, as webp\"; empty means enhance"`
}

func (p PhotoTerms) terms(o photojob.Options) photojob.Terms {
	return photojob.Terms{FileName: p.FileName, Size: p.Size, ContentType: p.ContentType, SHA256: p.SHA256, Prompt: p.Prompt, Options: o}
}

type photoInput struct {
	web.OwnerParam
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"requires X-Owner-Id. A repeated call with the same key returns what the first call created; a call with other parameters gets 422"`
	Body           struct {
		PhotoTerms
		Options photojob.Options `json:"options,omitempty"`
	}
}

type photoOutput struct {
	Location string `header:"Location"`
	Body     struct {
		photojob.JobView
		Upload blob.Presigned `json:"upload" doc:"the request that uploads the photo; send exactly these headers"`
	}
}

func (a *Area) postPhoto(ctx context.Context, in *photoInput) (*photoOutput, error) {
	if err := a.Admit(ctx, in.OwnerID, in.Named(), in.IdempotencyKey); err != nil {
		return nil, a.problem(err)
	}
	terms, err := checked(in.Body.terms(in.Body.Options), "body.")
	if err != nil {
		return nil, a.problem(err)
	}
	job, _, err := a.create(ctx, in.OwnerID, in.IdempotencyKey, terms)
	if err != nil {
		return nil, a.problem(err)
	}
	out := &photoOutput{Location: location(job)}
	out.Body.JobView = job.View()
	out.Body.Upload, err = a.sign(ctx, job, terms.SHA256)
	return out, err
}

type jobInput struct {
	web.CallerParam
	ID string `path:"id" doc:"a ULID"`
}

type jobOutput struct {
	Location string `header:"Location"`
	Body     photojob.JobView
}

func (a *Area) postUploaded(ctx context.Context, in *jobInput) (*jobOutput, error) {
	job, err := a.owned(ctx, in.ID, in.Caller)
	if err == nil {
		err = a.Confirm(ctx, a.Upload(job))
	}
	return a.accepted(job, err)
}

func (a *Area) postCancel(ctx context.Context, in *jobInput) (*jobOutput, error) {
	job, err := a.owned(ctx, in.ID, in.Caller)
	if err == nil {
		job, err = a.cancel(ctx, job)
	}
	return a.accepted(job, err)
}

type retryInput struct {
	web.CallerParam
	ID   string `path:"id" doc:"a ULID"`
	Body *struct {
		Prompt  *string           `json:"prompt,omitempty" maxLength:"2000" doc:"by default the previous prompt"`
		Options *photojob.Options `json:"options,omitempty" doc:"by default the previous options"`
	} `required:"false"`
}

func (a *Area) postRetry(ctx context.Context, in *retryInput) (*jobOutput, error) {
	job, err := a.owned(ctx, in.ID, in.Caller)
	if err != nil {
		return nil, a.problem(err)
	}
	terms := photojob.Terms{FileName: job.OriginalFileName, Prompt: job.Prompt, Options: job.Options}
	if in.Body != nil && in.Body.Prompt != nil {
		terms.Prompt = *in.Body.Prompt
	}
	if in.Body != nil && in.Body.Options != nil {
		terms.Options = *in.Body.Options
	}
	terms = terms.Completed()
	if wrong := terms.Check(); len(wrong) > 0 {
		return nil, web.Invalid(web.FieldError{Field: "body." + wrong[0].Field, Message: wrong[0].Message})
	}
	if terms.Options.Provider, err = a.route(ctx, terms); err != nil {
		return nil, a.problem(err)
	}
	job, err = a.Items.Retry(ctx, job, a.again(terms.Prompt, terms.Options))
	return a.accepted(job, gone(err))
}

func (a *Area) accepted(job photojob.Job, err error) (*jobOutput, error) {
	if err != nil {
		return nil, a.problem(err)
	}
	return &jobOutput{Location: location(job), Body: job.View()}, nil
}

func (a *Area) deletePhoto(ctx context.Context, in *jobInput) (*struct{}, error) {
	job, err := a.owned(ctx, in.ID, in.Caller)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil, nil
	}
	if err == nil {
		err = a.Discard(ctx, job)
	}
	return nil, a.problem(err)
}

func location(job photojob.Job) string { return "/v1/photos/" + job.JobID }
