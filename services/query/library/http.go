package library

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/wait"
)

const tag = "library"

// Routes registers the calls that read.
func (a *Area) Routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "get-library-node", Method: http.MethodGet, Path: "/v1/library/nodes/{id}", Tags: []string{tag},
		Summary: "A folder or a file", Description: "A wait ends when the file is Processed, ProcessedPartially or Failed, or the node is no file.",
	}, a.getNode)
}

// OperatorRoutes registers the lists over all owners.
func (a *Area) OperatorRoutes(*web.Router) {}

// readerParam is who reads: embed it in the input.
type readerParam struct {
	web.CallerParam
}

func (a *Area) reader(p readerParam) library.Caller { return library.Caller{Owner: p.Caller.Owner} }

// nodeOutput is a node as it is.
type nodeOutput struct {
	ETag         string `header:"ETag"`
	CacheControl string `header:"Cache-Control"`
	Body         library.NodeView
}

func output(path library.Path, c library.Caller) *nodeOutput {
	n := path.Node()
	return &nodeOutput{ETag: n.ETag(), CacheControl: "no-store", Body: n.View(c)}
}

type nodeInput struct {
	web.IDParam
	readerParam
	wait.Param
}

func (a *Area) getNode(ctx context.Context, in *nodeInput) (*nodeOutput, error) {
	c := a.reader(in.readerParam)
	read := func(ctx context.Context, id string) (library.Path, error) { return a.store.Readable(ctx, id, c) }
	path, err := wait.Read(ctx, a.waits, library.Name, in.ID, in.Param, read, library.Path.Ended)
	if err != nil {
		return nil, problem(err)
	}
	return output(path, c), nil
}

// problem returns the problem of an error that a client can do something about.
func problem(err error) error {
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return web.NotFound("No node of the library with this id.")
	case errors.Is(err, table.ErrCursor):
		return web.InvalidCursor()
	}
	return err
}
