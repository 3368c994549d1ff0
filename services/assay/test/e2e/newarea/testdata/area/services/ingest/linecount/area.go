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
	"github.com/assay-project/assay/pkg/linecount"
	"github.com/assay-project/assay/pkg/quota"
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
	a.Items = accept.New(shared, accept.Area[linecount.Item]{
		Name: linecount.Name, Stream: linecount.WorkStream, Bucket: backends.Bucket, Path: "/v1/linecounts/",
		Nouns:  accept.Nouns{Missing: "There is no line count with this id.", Item: "line count", Content: "text", Again: "Reserve again."},
		Upload: linecount.Item.Upload, Find: a.store.Get, Retry: a.store.Retry, Check: a.store.Check,
		Owns: func(o blob.Object) (id string, mine bool) {
			id, _, mine = linecount.ParseObjectKey(o.Key)
			return id, mine
		},
		Worked: func(subject string) (id string, mine bool) {
			return strings.CutPrefix(subject, linecount.Uploaded)
		},
		Clean: func(ctx context.Context, i linecount.Item) error { return a.Bucket.Delete(ctx, i.Key) },
		Delete: func(ctx context.Context, i linecount.Item) (linecount.Item, error) {
			return i, a.store.Delete(ctx, i.ID)
		},
	})
	return a
}

// Routes registers the calls that write.
func (a *Area) Routes(r *web.Router) {
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "create-line-count", Method: http.MethodPost, Path: "/v1/linecounts", Tags: []string{"linecounts"},
		Summary: "Reserve the upload of a text whose lines are counted", DefaultStatus: http.StatusCreated,
	}, a.reserve, admission.Refusals, quota.Refusals, web.Refusals{http.StatusRequestEntityTooLarge: {"file-too-large"}})
	accept.Post(accept.Calls[linecount.Item, accept.Target, output]{
		Router: r, Tag: "linecounts", Find: a.Owned, Problem: a.Problem,
		Output: func(i linecount.Item, _ web.Caller) *output { return &output{i.View()} },
	}, huma.Operation{
		OperationID: "line-count-uploaded", Path: "/v1/linecounts/{id}/uploaded", Summary: "Report that the presigned upload is finished",
	}, func(ctx context.Context, i linecount.Item, _ *accept.Target) (linecount.Item, error) {
		return i, a.Confirm(ctx, a.Upload(i))
	}, web.Refusals{http.StatusConflict: {"not-uploaded", "not-as-reserved", "wrong-status", "changed-meanwhile"}})
}

type output struct{ Body linecount.LineCount }

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
		return nil, err
	}
	if _, err := a.Digest(accept.Declared{Size: in.Body.Size}); err != nil {
		return nil, err
	}
	item, created, err := accept.Reserve(ctx, a.Shared, accept.Reservation[linecount.Item]{
		Owner: in.OwnerID, Find: a.store.Get,
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
		return nil, err
	}
	out := &reserveOutput{}
	out.Body.LineCount = item.View()
	out.Body.Upload, err = a.Open(ctx, item, created, false, blob.Terms{Size: in.Body.Size, ContentType: "text/plain"})
	return out, err
}
