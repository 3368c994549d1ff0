package photojob

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/admission"
)

// Routes registers the operations that write.
func (a *Area) Routes(r *web.Router) {
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "create-photo", Method: http.MethodPost, Path: "/v1/photos", Tags: []string{"photos"},
		Summary: "Upload a photo, or reserve an upload",
		Description: "With a JSON body, creates a job and returns a presigned request for its photo. " +
			"With multipart/form-data, accepts the photo in the part \"file\", and the parts \"prompt\" and \"options\" (JSON), and returns 202 with the job. " +
			"A photo is a JPEG, PNG, WebP, HEIC, AVIF, JPEG XL, GIF, BMP, TIFF or raw file of at most 20 MB and 50 megapixels.",
		DefaultStatus: http.StatusCreated,
		Middlewares:   huma.Middlewares{web.OnMediaType("multipart/form-data", a.postMultipart(r.Bodies))},
		RequestBody:   accept.FormBody(map[string]*huma.Schema{promptPart: {Type: "string"}, optionsPart: {Type: "string"}}),
		Responses:     accept.FormTaken[photojob.JobView](r, "The photo is stored and will be edited", "Location"),
	}, a.postPhoto, admission.Refusals, accept.Creates, refused, web.Refusals{http.StatusConflict: {"not-uploaded", "not-as-reserved"}})
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "create-photo-batch", Method: http.MethodPost, Path: "/v1/photo-batches", Tags: []string{"photos"},
		Summary:       "Reserve the uploads of up to 20 photos",
		Description:   "Creates all jobs or none. The batch is finished when each of its jobs is COMPLETED, FAILED or deleted; this is announced once.",
		DefaultStatus: http.StatusCreated,
	}, a.postBatch, admission.Refusals, accept.Creates, refused)
	disabled, removed := web.Refusals{http.StatusConflict: {"provider-disabled"}}, web.Refusals{http.StatusGone: {"upload-removed"}}
	moved := web.Refusals{http.StatusConflict: {"wrong-status", "changed-meanwhile"}}
	missing := web.Refusals{http.StatusConflict: {"not-uploaded", "not-as-reserved"}}
	jobs := accept.Calls[photojob.Job, JobParam, accept.Located[photojob.JobView]]{
		Router: r, Tag: "photos", Name: "photo", Path: "/v1/photos/{id}", Find: a.Owned, Problem: a.Problem, Output: output,
	}
	accept.Post(jobs, huma.Operation{
		OperationID: "photo-uploaded", Path: "/v1/photos/{id}/uploaded", Summary: "Report that the presigned upload is finished",
	}, a.uploaded, missing, moved, removed)
	accept.Post(jobs, huma.Operation{
		OperationID: "retry-photo", Path: "/v1/photos/{id}/retry", Summary: "Queue a FAILED job again, optionally with another prompt and options",
	}, a.retry, missing, moved, removed, disabled)
	jobs.Post("cancel", "End a job as FAILED, with the code CANCELLED", a.cancel, missing, moved, removed)
	jobs.Delete("Delete a job and its photos", a.discard, moved)
	a.urlRoute(r)
	batches := accept.Calls[photojob.Batch, JobParam, batchOutput]{
		Router: r, Tag: "photos", Name: "photo-batch", Path: "/v1/photo-batches/{id}", Find: a.ownedBatch, Problem: a.Problem,
		Output: func(b photojob.Batch, _ web.Caller) *batchOutput { return &batchOutput{b.View()} },
	}
	batches.Post("retry", "Queue the FAILED jobs of a batch again", a.retryBatch, moved, removed, disabled)
	batches.Delete("Delete the jobs of a batch and their photos", a.removeBatch, moved)
}

// refused lists the problems of calls that create jobs.
var refused = web.Refusals{
	http.StatusConflict:              {"provider-disabled"},
	http.StatusRequestEntityTooLarge: {"file-too-large"},
	http.StatusUnsupportedMediaType:  {"not-a-photo"},
	http.StatusUnprocessableEntity:   {"file-empty"},
}

// PhotoTerms are the properties of one photo in a request body.
type PhotoTerms struct {
	FileName    string `json:"fileName" minLength:"1" maxLength:"255" doc:"stored and shown as given; it must not contain control characters, or characters that change the direction of text"`
	Size        int64  `json:"size" minimum:"0" doc:"exact size in bytes; an empty file is refused"`
	ContentType string `json:"contentType" example:"image/jpeg" doc:"image/jpeg, image/png, image/webp, image/heic, image/heif, image/gif, image/bmp, image/tiff, image/avif, image/jxl, image/x-raw or the type of a raw file, such as image/x-adobe-dng; the content determines how the photo is read"`
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

type photoResponse struct {
	photojob.JobView
	Upload blob.Presigned `json:"upload" doc:"the request that uploads the photo; send exactly these headers"`
}

func (a *Area) postPhoto(ctx context.Context, in *photoInput) (*accept.Located[photoResponse], error) {
	if err := a.Admit(ctx, in.OwnerID, in.Named(), in.IdempotencyKey); err != nil {
		return nil, err
	}
	terms, err := checked(in.Body.terms(in.Body.Options), "body.")
	if err != nil {
		return nil, err
	}
	job, _, err := a.create(ctx, in.OwnerID, in.IdempotencyKey, terms, nil)
	if err != nil {
		return nil, err
	}
	signed, err := a.sign(ctx, job, terms.SHA256)
	return &accept.Located[photoResponse]{Location: location(job), Body: photoResponse{job.View(), signed}}, err
}

// JobParam identifies a job or a batch, and the caller.
type JobParam struct {
	web.CallerParam
	ID string `path:"id" doc:"a ULID"`
}

// Item returns the id, and the caller.
func (p JobParam) Item() (id string, caller web.Caller) { return p.ID, p.Caller }

func (a *Area) uploaded(ctx context.Context, job photojob.Job, _ *JobParam) (photojob.Job, error) {
	return job, a.Confirm(ctx, a.Upload(job))
}

type retryInput struct {
	JobParam
	Body *struct {
		Prompt  *string           `json:"prompt,omitempty" maxLength:"2000" doc:"by default the previous prompt"`
		Options *photojob.Options `json:"options,omitempty" doc:"by default the previous options"`
	} `required:"false"`
}

func (a *Area) retry(ctx context.Context, job photojob.Job, in *retryInput) (photojob.Job, error) {
	terms := photojob.Terms{Prompt: job.Prompt, Options: job.Options}
	if in.Body != nil && in.Body.Prompt != nil {
		terms.Prompt = *in.Body.Prompt
	}
	if in.Body != nil && in.Body.Options != nil {
		terms.Options = *in.Body.Options
	}
	terms = terms.Completed()
	if wrong := terms.CheckEdit(); len(wrong) > 0 {
		return job, web.Invalid(web.FieldError{Field: "body." + wrong[0].Field, Message: wrong[0].Message})
	}
	provider, err := a.route(ctx, terms)
	if err != nil {
		return job, err
	}
	terms.Options.Provider = provider
	job, err = a.Retry(ctx, job, a.again(terms.Prompt, terms.Options))
	if upload.Absent(err) {
		err = uploadRemoved()
	}
	return job, err
}

func uploadRemoved() error {
	return web.NewProblem(http.StatusGone, "upload-removed", "The uploaded photo has been removed. Upload it again.")
}

func output(job photojob.Job, _ web.Caller) *accept.Located[photojob.JobView] {
	return &accept.Located[photojob.JobView]{Location: location(job), Body: job.View()}
}

func location(job photojob.Job) string { return "/v1/photos/" + job.JobID }
