package textfile

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/wait"
)

// Routes registers the calls that read text files.
func (a *Area) Routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "get-file", Method: http.MethodGet, Path: "/v1/files/{id}", Tags: []string{"files"},
		Summary: "Get a text file",
	}, a.getFile, wait.Refusals)
	web.Register(r, huma.Operation{
		OperationID: "get-file-content", Method: http.MethodGet, Path: "/v1/files/{id}/content", Tags: []string{"files"},
		Summary: "Download the content of a text file", Description: "Redirects to a presigned URL.",
		DefaultStatus: http.StatusTemporaryRedirect,
	}, a.getContent)
	web.Register(r, huma.Operation{
		OperationID: "list-files", Method: http.MethodGet, Path: "/v1/owners/{ownerId}/files", Tags: []string{"files"},
		Summary: "List an owner's text files, newest first",
	}, a.listFiles)
}

// visible returns a function that reads a file that the caller may see. It returns lifecycle.ErrNotFound for other
// files.
func (a *Area) visible(caller web.Caller) func(context.Context, string) (textfile.File, error) {
	return func(ctx context.Context, id string) (textfile.File, error) {
		file, err := a.store.Get(ctx, id)
		if err == nil && !caller.MaySee(file.OwnerID) {
			return textfile.File{}, lifecycle.ErrNotFound
		}
		return file, err
	}
}

type getInput struct {
	web.IDParam
	web.CallerParam
	wait.Param
}

type fileOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         textfile.FileView
}

func (a *Area) getFile(ctx context.Context, in *getInput) (*fileOutput, error) {
	file, err := wait.Read(ctx, a.waits, textfile.Name, in.ID, in.Param, a.visible(in.Caller),
		textfile.File.Final)
	if err != nil {
		return nil, problem(err)
	}
	view := file.ViewFor(in.Caller.Owner)
	if file.Status == textfile.Pending {
		// Without an object, or if S3 does not respond, the file is returned without uploadedAt: its status is known.
		if object, err := a.bucket.Head(ctx, file.S3Key); err == nil {
			view.UploadedAt = object.Modified.UTC()
		}
	}
	return &fileOutput{CacheControl: "no-store", Body: view}, nil
}

type contentInput struct {
	web.IDParam
	web.CallerParam
}

type contentOutput struct {
	Location     string `header:"Location"`
	CacheControl string `header:"Cache-Control"`
}

func (a *Area) getContent(ctx context.Context, in *contentInput) (*contentOutput, error) {
	file, err := a.visible(in.Caller)(ctx, in.ID)
	if err != nil {
		return nil, problem(err)
	}
	if _, err := a.bucket.Head(ctx, file.S3Key); err != nil {
		return nil, problem(err)
	}
	url, err := a.bucket.PresignGet(ctx, file.S3Key, file.FileName, a.cfg.DownloadExpires)
	if err != nil {
		return nil, err
	}
	return &contentOutput{Location: url, CacheControl: "no-store"}, nil
}

type listInput struct {
	web.CallerParam
	OwnerID string `path:"ownerId"`
	Limit   int32  `query:"limit" minimum:"1" maximum:"1000" default:"50"`
	Cursor  string `query:"cursor" doc:"the nextCursor of the previous page"`
	Status  string `query:"status" enum:"PENDING,IN_PROGRESS,COMPLETED,FAILED"`
	Counts  bool   `query:"counts" doc:"whether COMPLETED files have their counts of words"`
}

type listOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         fileList
}

type fileList struct {
	Files      []textfile.FileView `json:"files" doc:"without their results; may be fewer than limit, or none, even if there is a nextCursor"`
	NextCursor string              `json:"nextCursor,omitempty" doc:"absent on the last page"`
}

func (a *Area) listFiles(ctx context.Context, in *listInput) (*listOutput, error) {
	if err := in.Caller.ActFor(in.OwnerID, "path.ownerId"); err != nil {
		return nil, err
	}
	page, err := a.store.List(ctx, textfile.Listing{
		OwnerID: in.OwnerID, Status: lifecycle.State(in.Status), Limit: in.Limit, Cursor: in.Cursor,
	})
	if err != nil {
		return nil, problem(err)
	}
	list := fileList{Files: web.Views(page.Files, textfile.File.View), NextCursor: page.NextCursor}
	if in.Counts {
		counts, err := a.store.Counts(ctx, page.Files)
		if err != nil {
			return nil, err
		}
		for i, f := range list.Files {
			if c, ok := counts[f.FileID]; ok {
				list.Files[i].Counts = &c
				list.Files[i].Size = cmp.Or(list.Files[i].Size, c.Size)
			}
		}
	}
	return &listOutput{CacheControl: "no-store", Body: list}, nil
}

// problem translates errors that a client can resolve.
func problem(err error) error {
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return web.NotFound("There is no text file with this id.")
	case errors.Is(err, blob.ErrNotFound):
		return web.NotFound("The file has no content yet: its upload is not finished.")
	case errors.Is(err, table.ErrCursor):
		return web.InvalidCursor()
	}
	return err
}
