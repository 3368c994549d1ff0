// Package linecount accepts texts whose lines are counted.
package linecount

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/linecount"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/admission"
	"github.com/assay-project/assay/services/ingest/parts"
)

// Area accepts texts.
type Area struct {
	*accept.Items[linecount.Item]
	store *linecount.Store
}

// New returns the area for open backends.
func New(cfg linecount.Config, backends *backend.Connections, shared accept.Shared) *Area {
	a := &Area{store: linecount.NewStore(backends.DB, cfg)}
	a.Items = accept.New(shared, linecount.Name, linecount.WorkStream, backends.Bucket, accept.Nouns{
		Missing: "There is no line count with this id.", Item: "line count", Content: "text", Again: "Reserve again.",
	}, a)
	return a
}

// Check returns an error if the table is unavailable.
func (a *Area) Check(ctx context.Context) error { return a.store.Check(ctx) }

// Upload implements accept.Area.
func (a *Area) Upload(i linecount.Item) upload.Item { return i.Upload(a.Bucket) }

// Find implements accept.Area.
func (a *Area) Find(ctx context.Context, id string) (linecount.Item, error) {
	return a.store.Get(ctx, id)
}

// Owns implements accept.Area.
func (a *Area) Owns(o blob.Object) (id string, mine bool) {
	id, _, mine = linecount.ParseObjectKey(o.Key)
	return id, mine
}

// Worked implements accept.Area.
func (a *Area) Worked(subject string) (id string, mine bool) {
	return strings.CutPrefix(subject, linecount.Uploaded)
}

// Retry implements accept.Area.
func (a *Area) Retry(ctx context.Context, i linecount.Item) (linecount.Item, error) {
	return a.store.Retry(ctx, i)
}

// Discard implements accept.Area.
func (a *Area) Discard(ctx context.Context, i linecount.Item) error {
	_, err := a.Remove(ctx, i, func(ctx context.Context, i linecount.Item) error {
		return a.Bucket.Delete(ctx, i.Key)
	}, func(ctx context.Context, i linecount.Item) (linecount.Item, error) {
		return i, a.store.Delete(ctx, i.ID)
	})
	return err
}

// Routes registers the calls that write.
func (a *Area) Routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "create-line-count", Method: http.MethodPost, Path: "/v1/linecounts", Tags: []string{"linecounts"},
		Summary: "Reserve the upload of a text whose lines are counted", DefaultStatus: http.StatusCreated,
	}, a.reserve, admission.Refusals, quota.Refusals, web.Refusals{http.StatusRequestEntityTooLarge: {"file-too-large"}})
	web.Register(r, huma.Operation{
		OperationID: "line-count-uploaded", Method: http.MethodPost, Path: "/v1/linecounts/{id}/uploaded", Tags: []string{"linecounts"},
		Summary: "Report that the presigned upload is finished", DefaultStatus: http.StatusAccepted,
	}, a.uploaded, web.Refusals{http.StatusConflict: {"not-uploaded", "not-as-reserved", "wrong-status", "changed-meanwhile"}})
}

type reserveInput struct {
	web.OwnerParam
	Body struct {
		FileName string `json:"fileName" minLength:"1" maxLength:"1024"`
		Size     int64  `json:"size" minimum:"0" doc:"exact size in bytes"`
	}
}

type reserveOutput struct {
	Body struct {
		linecount.LineCount
		Upload parts.Reserved `json:"upload"`
	}
}

func (a *Area) reserve(ctx context.Context, in *reserveInput) (*reserveOutput, error) {
	if err := a.Admit(ctx, in.OwnerID, in.Named(), ""); err != nil {
		return nil, a.Problem(err)
	}
	if _, err := a.Items.Check(accept.Size{Bytes: in.Body.Size}); err != nil {
		return nil, err
	}
	item, created, err := accept.Reserve(ctx, a.Quotas, accept.Reservation[linecount.Item]{
		Owner: in.OwnerID, Find: a.Find,
		ID: func(context.Context) (string, error) {
			id, err := uuid.NewV7()
			return id.String(), err
		},
		Counted: func(id string) []quota.Item {
			return []quota.Item{{Area: linecount.Name, ID: id, Bytes: in.Body.Size}}
		},
		Create: func(ctx context.Context, id string) (linecount.Item, error) {
			return a.store.Create(ctx, linecount.Item{
				ID: id, OwnerID: in.OwnerID, FileName: in.Body.FileName, Key: linecount.ObjectKey(id, in.Body.Size),
			})
		},
	})
	if err != nil {
		return nil, a.Problem(err)
	}
	out := &reserveOutput{}
	out.Body.LineCount = item.View()
	out.Body.Upload, err = a.Open(ctx, item, created, false, blob.Terms{Size: in.Body.Size, ContentType: "text/plain"})
	return out, err
}

type uploadedInput struct {
	web.CallerParam
	web.IDParam
}

type uploadedOutput struct{ Body linecount.LineCount }

func (a *Area) uploaded(ctx context.Context, in *uploadedInput) (*uploadedOutput, error) {
	item, err := a.Find(ctx, in.ID)
	if err == nil && item.OwnerID != in.Caller.Owner {
		err = lifecycle.ErrNotFound
	}
	if err == nil {
		err = a.Confirm(ctx, a.Upload(item))
	}
	if err != nil {
		return nil, a.Problem(err)
	}
	return &uploadedOutput{item.View()}, nil
}
