package library

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/web"
)

// OperatorRoutes registers the lists that span all owners.
func (a *Area) OperatorRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "list-library-files", Method: http.MethodGet, Path: "/v1/library/files", Tags: []string{tag},
		Summary: "List the files of an owner, a folder or a blob", Description: "Newest first. Set exactly one of the three parameters.",
	}, a.listFiles)
	web.Register(r, huma.Operation{
		OperationID: "list-library-workflows", Method: http.MethodGet, Path: "/v1/library/workflows", Tags: []string{tag},
		Summary: "List the workflows of a type, newest first",
	}, a.listWorkflows)
}

type filesInput struct {
	PageParam
	OwnedBy  string `query:"ownedBy" maxLength:"128"`
	ParentID string `query:"parentId" maxLength:"200"`
	BlobID   string `query:"blobId" maxLength:"36"`
}

type filesOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         fileList
}

type fileList struct {
	Files      []library.FileView `json:"files"`
	NextCursor string             `json:"nextCursor,omitempty" doc:"absent on the last page"`
}

func (a *Area) listFiles(ctx context.Context, in *filesInput) (*filesOutput, error) {
	var named []string
	var read func(context.Context, string, library.Listing) (library.FilePage, error)
	for _, index := range []struct {
		value string
		read  func(context.Context, string, library.Listing) (library.FilePage, error)
	}{{in.OwnedBy, a.store.FilesByOwner}, {in.ParentID, a.store.FilesByParent}, {in.BlobID, a.store.FilesByBlob}} {
		if index.value != "" {
			named, read = append(named, index.value), index.read
		}
	}
	if len(named) != 1 {
		return nil, web.Invalid(web.FieldError{Field: "query", Message: "must have exactly one of ownedBy, parentId and blobId"})
	}
	page, err := read(ctx, named[0], in.listing())
	if err != nil {
		return nil, problem(err)
	}
	return &filesOutput{CacheControl: noStore, Body: fileList{web.Views(page.Files, library.File.View), page.NextCursor}}, nil
}

type workflowsInput struct {
	PageParam
	Type string `query:"type" required:"true" enum:"File,Erase"`
}

type workflowsOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         workflowList
}

type workflowList struct {
	Workflows  []workflowEntry `json:"workflows"`
	NextCursor string          `json:"nextCursor,omitempty" doc:"absent on the last page"`
}

type workflowEntry struct {
	library.WorkflowView
	ID        string    `json:"id" doc:"id of the file or operation"`
	Type      string    `json:"type" enum:"File,Erase"`
	OwnedBy   string    `json:"ownedBy"`
	CreatedAt time.Time `json:"createdAt"`
}

func (a *Area) listWorkflows(ctx context.Context, in *workflowsInput) (*workflowsOutput, error) {
	found, next, err := a.store.WorkflowsByType(ctx, in.Type, in.listing())
	if err != nil {
		return nil, problem(err)
	}
	entries := web.Views(found, func(w library.Workflow) workflowEntry {
		return workflowEntry{w.View(), w.CorrelationID, w.WorkflowType, w.UserID, w.Created()}
	})
	return &workflowsOutput{CacheControl: noStore, Body: workflowList{entries, next}}, nil
}
