package photojob

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"path"
	"strings"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/send"
)

// Content implements send.Source.
func (a *Area) Content(ctx context.Context, s send.Selection, caller web.Caller) (accept.Stored, error) {
	job, err := a.Owned(ctx, s.ID, caller)
	if err != nil {
		return accept.Stored{}, err
	}
	find := a.original
	if s.Content == send.Result {
		find = a.edited
	}
	stored, err := find(ctx, job)
	stored.Name = cmp.Or(stored.Name, job.JobID+path.Ext(stored.Key))
	return stored, err
}

// original returns the photo as it was uploaded, which is stored only for hours.
func (a *Area) original(ctx context.Context, job photojob.Job) (accept.Stored, error) {
	object, err := upload.Find(ctx, a.Upload(job))
	if errors.Is(err, upload.ErrNoBytes) && job.Status != photojob.Queued {
		err = uploadRemoved()
	}
	if err != nil {
		return accept.Stored{}, err
	}
	return accept.Stored{
		Name: job.OriginalFileName, ContentType: job.FileType, Size: object.Size, Bucket: a.Bucket, Key: object.Key, ETag: object.ETag, Gone: uploadRemoved(),
	}, nil
}

// edited returns the edited photo. Its name is that of the original, with the extension of the new format.
func (a *Area) edited(ctx context.Context, job photojob.Job) (accept.Stored, error) {
	removed := web.NewProblem(http.StatusGone, "photo-removed", "The photo has been removed.")
	if job.Status != photojob.Completed {
		return accept.Stored{}, web.NewProblem(http.StatusConflict, "not-completed", "The photo is not available yet. Wait until the job is COMPLETED.")
	}
	object, err := a.final.Head(ctx, job.S3FinalKey)
	if errors.Is(err, blob.ErrNotFound) {
		err = removed
	}
	if err != nil {
		return accept.Stored{}, err
	}
	stem := strings.TrimSuffix(job.OriginalFileName, path.Ext(job.OriginalFileName))
	return accept.Stored{
		Name: cmp.Or(stem, job.JobID) + path.Ext(object.Key), ContentType: object.ContentType, Size: object.Size,
		Bucket: a.final, Key: object.Key, ETag: object.ETag, Gone: removed,
	}, nil
}

// Create implements send.Target.
func (a *Area) Create(ctx context.Context, r send.Request) (send.Created, error) {
	if err := r.Unused(send.ParentID); err != nil {
		return send.Created{}, err
	}
	if err := a.Admit(ctx, r.Owner, r.Named, r.Key); err != nil {
		return send.Created{}, err
	}
	terms := photojob.Terms{Prompt: r.Prompt, Source: r.Source}
	if err := r.Options.Decode(&terms.Options); err != nil {
		return send.Created{}, err
	}
	terms, refused := a.copied(ctx, terms, r)
	job, created, err := a.create(ctx, r.Owner, r.Key, terms, refused)
	if err == nil {
		err = a.Put(ctx, job, created, r.Key, job.FileType, r.Content)
	}
	return send.Created{ID: job.JobID, Path: location(job)}, err
}

// copied returns the terms of a job whose photo is a copy, with the properties of the content, and the reason why no such job
// is created, or nil.
func (a *Area) copied(ctx context.Context, terms photojob.Terms, r send.Request) (photojob.Terms, error) {
	terms.FileName, terms.Size = cmp.Or(r.Name, photojob.ShortName(r.Content.Name)), r.Content.Size
	if r.Content.Err != nil {
		return terms.Completed(), r.Content.Err
	}
	if wrong := photojob.NameViolation(terms.FileName); wrong != "" {
		return terms.Completed(), web.Invalid(web.FieldError{Field: "body.name", Message: wrong})
	}
	head, err := r.Content.Head(ctx, extract.HeadSize)
	if err != nil {
		return terms.Completed(), err
	}
	terms.ContentType = contentType(r.Content.ContentType, head)
	completed, err := checked(terms, "body.")
	if err != nil {
		return terms.Completed(), err
	}
	return completed, nil
}
