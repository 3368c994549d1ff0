package library

import (
	"cmp"
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
)

const tag = "library"

// Routes registers the calls that write.
func (a *Area) Routes(r *web.Router) {
	a.fileRoutes(r)
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "create-folder", Method: http.MethodPost, Path: "/v1/library/folders", Tags: []string{tag},
		Summary: "Create a folder", DefaultStatus: http.StatusCreated,
		Description: "Names have 1 to 255 characters, contain none of / \\ : * ? \" < > |, no control characters and no bidirectional controls such as U+202E, but at least one visible character, do not end with a dot or a space, and are not Windows device names. " +
			"Two nodes of a folder may have the same name.",
	}, a.postFolder, accept.Creates, changes)
	a.pageRoutes(r)
	a.modelRoutes(r)
	a.treeRoutes(r)
	a.shareRoutes(r)
}

// nodeOutput is a node after a write.
type nodeOutput struct {
	Location string `header:"Location"`
	ETag     string `header:"ETag"`
	Body     library.NodeView
}

func output(n library.Node, c library.Caller) *nodeOutput {
	return &nodeOutput{Location: location(n.ID), ETag: n.ETag(), Body: n.View(c)}
}

func location(id string) string { return "/v1/library/nodes/" + id }

type folderInput struct {
	web.OwnerParam
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"requires X-Owner-Id. A repeated call with the same key returns the folder of the first call as long as it exists; a call with other parameters gets 422"`
	Body           struct {
		Name     string `json:"name" minLength:"1" maxLength:"1024"`
		ParentID string `json:"parentId,omitempty" format:"uuid" doc:"id of a folder; default: the root"`
	}
}

func (a *Area) postFolder(ctx context.Context, in *folderInput) (*nodeOutput, error) {
	if in.IdempotencyKey != "" && !in.Named() {
		return nil, accept.ErrNoOwner
	}
	name, err := library.CleanName(in.Body.Name)
	if err != nil {
		return nil, err
	}
	c := library.Caller{Owner: in.OwnerID}
	n := library.NewNode{Owner: in.OwnerID, ParentID: cmp.Or(in.Body.ParentID, library.RootID(in.OwnerID)), Name: name}
	folder, _, err := accept.Reserve(ctx, a.Shared, accept.Reservation[library.Node]{
		Owner: in.OwnerID, Key: in.IdempotencyKey, Find: a.reserved,
		ID:      func(ctx context.Context) (string, error) { return a.ids.New(ctx, in.OwnerID, in.IdempotencyKey) },
		Counted: func(id string) []quota.Item { return []quota.Item{{Area: library.Name, ID: id}} },
		Create: func(ctx context.Context, id string) (library.Node, error) {
			n.ID = id
			created, err := a.store.CreateFolder(ctx, n)
			return created, a.refused(ctx, err, in.Body.ParentID, c)
		},
		Same: func(f library.Node) bool {
			return f.Type == library.KindFolder && (f.Version != 1 || f.Name == n.Name && f.ParentID == n.ParentID)
		},
	})
	return output(folder, c), err
}
