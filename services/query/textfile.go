package query

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/engine"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/web"
)

// textFiles answers questions about text files.
type textFiles struct {
	store   *textfile.Store
	bucket  *blob.Store
	waits   *waits
	expires time.Duration
}

func newTextFiles(cfg Config, engines *engine.Engines, held *waits) *textFiles {
	return &textFiles{
		store:  textfile.NewStore(engines.DB, cfg.TextFile),
		bucket: engines.Bucket, waits: held, expires: cfg.DownloadExpires,
	}
}

// routes registers the textfile calls that read.
func (t *textFiles) routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "get-file", Method: http.MethodGet, Path: "/v1/files/{id}", Tags: []string{"files"},
		Summary: "A file, its status and its result",
	}, t.getFile)
	web.Register(r, huma.Operation{
		OperationID: "get-file-content", Method: http.MethodGet, Path: "/v1/files/{id}/content", Tags: []string{"files"},
		Summary: "The bytes of a file", Description: "Redirects to a presigned download.",
		DefaultStatus: http.StatusTemporaryRedirect,
	}, t.getContent)
	web.Register(r, huma.Operation{
		OperationID: "list-files", Method: http.MethodGet, Path: "/v1/owners/{ownerId}/files", Tags: []string{"files"},
		Summary: "An owner's files, newest first",
	}, t.listFiles)
}

type getInput struct {
	web.IDParam
	Owner string `header:"X-Owner-Id" doc:"the caller; the answer has ownerId only where it is the owner"`
	WaitParam
}

type fileOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         textfile.FileView
}

func (t *textFiles) getFile(ctx context.Context, in *getInput) (*fileOutput, error) {
	file, err := read(ctx, t.waits, event.AreaTextFile, in.ID, &in.WaitParam, t.store.Get,
		func(f textfile.File) bool { return f.Final() })
	if err != nil {
		return nil, problem(err)
	}
	return &fileOutput{CacheControl: "no-store", Body: file.ViewFor(in.Owner)}, nil
}

type contentInput struct{ web.IDParam }

type contentOutput struct {
	Location     string `header:"Location"`
	CacheControl string `header:"Cache-Control"`
}

func (t *textFiles) getContent(ctx context.Context, in *contentInput) (*contentOutput, error) {
	file, err := t.store.Get(ctx, in.ID)
	if err != nil {
		return nil, problem(err)
	}
	if _, err := t.bucket.Head(ctx, file.S3Key); err != nil {
		return nil, problem(err)
	}
	url, err := t.bucket.PresignGet(ctx, file.S3Key, file.FileName, t.expires)
	if err != nil {
		return nil, err
	}
	return &contentOutput{Location: url, CacheControl: "no-store"}, nil
}

type listInput struct {
	OwnerID string `path:"ownerId"`
	Limit   int32  `query:"limit" minimum:"1" maximum:"1000" default:"50"`
	Cursor  string `query:"cursor" doc:"the nextCursor of the page before"`
	Status  string `query:"status" enum:"PENDING,IN_PROGRESS,COMPLETED,FAILED"`
}

type listOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         struct {
		Files      []textfile.FileView `json:"files" nullable:"false" doc:"without their results; may be fewer than limit, or none, while there is a nextCursor"`
		NextCursor string              `json:"nextCursor,omitempty" doc:"absent on the last page"`
	}
}

func (t *textFiles) listFiles(ctx context.Context, in *listInput) (*listOutput, error) {
	if !web.ValidOwner(in.OwnerID) {
		return nil, web.Invalid(web.FieldError{Field: "path.ownerId", Message: "is not an owner's id"})
	}
	page, err := t.store.List(ctx, textfile.Listing{
		OwnerID: in.OwnerID, Status: lifecycle.State(in.Status), Limit: in.Limit, Cursor: in.Cursor,
	})
	if err != nil {
		return nil, problem(err)
	}
	out := &listOutput{CacheControl: "no-store"}
	out.Body.Files = make([]textfile.FileView, len(page.Files))
	for i, file := range page.Files {
		out.Body.Files[i] = file.View()
	}
	out.Body.NextCursor = page.NextCursor
	return out, nil
}

// problem translates what a client can do something about.
func problem(err error) error {
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return web.NotFound("There is no file of this id.")
	case errors.Is(err, blob.ErrNotFound):
		return web.NotFound("The bytes of this file are not there: its upload is not finished.")
	case errors.Is(err, table.ErrCursor):
		return web.Invalid(web.FieldError{Field: "query.cursor", Message: "is not a cursor of this list; start again without it"})
	}
	return err
}
