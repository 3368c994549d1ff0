package library

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/wait"
)

const (
	tag     = "library"
	noStore = "no-store"
)

// Routes registers the read operations.
func (a *Area) Routes(r *web.Router) {
	r.Anonymous("/v1/library/", a.forEveryone)
	web.Register(r, huma.Operation{
		OperationID: "get-library-node", Method: http.MethodGet, Path: "/v1/library/nodes/{id}", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "Get a folder or file", Description: "A wait ends when the file is Processed, ProcessedPartially or Failed, or if the node is not a file.",
	}, a.getNode, wait.Refusals, linked)
	web.Register(r, huma.Operation{
		OperationID: "get-library-root", Method: http.MethodGet, Path: "/v1/library/nodes/root", Tags: []string{tag},
		Summary: "Get the root folder of the caller", Description: "It is created by the owner's first write; its id is known before that and never changes.",
	}, a.getRoot, owned)
	web.Register(r, huma.Operation{
		OperationID: "get-library-path", Method: http.MethodGet, Path: "/v1/library/nodes/{id}/path", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "Get a node and the folders above it that the caller may read", Description: "Ordered from the topmost folder to the node.",
	}, a.getPath, linked)
	web.Register(r, huma.Operation{
		OperationID: "get-library-permissions", Method: http.MethodGet, Path: "/v1/library/nodes/{id}/permissions", Tags: []string{tag},
		Summary: "List who may read a node besides its owner", Description: "Only for the owner.",
	}, a.getPermissions, linked)
	web.Register(r, huma.Operation{
		OperationID: "list-library-links", Method: http.MethodGet, Path: "/v1/library/nodes/{id}/links", Tags: []string{tag},
		Summary: "List the links to a node that have not expired", Description: "Only for the owner. Links to the folders above it also grant access to the node, but are not in the list.",
	}, a.listLinks, linked)
	web.Register(r, huma.Operation{
		OperationID: "get-library-link", Method: http.MethodGet, Path: "/v1/library/links/{token}", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "Get the node of a share link",
		Description: "To read the node and everything below it, pass the token in the query parameter link. " +
			"A request whose Accept header begins with text/html, as that of a browser, is redirected to the page of the node.",
		Middlewares: huma.Middlewares{a.toPage},
		Responses:   map[string]*huma.Response{"303": pageResponse()},
	}, a.getLink, linked)
	web.Register(r, huma.Operation{
		OperationID: "get-library-operation", Method: http.MethodGet, Path: "/v1/library/operations/{id}", Tags: []string{tag},
		Summary: "Get the progress of erasing a folder", Description: "Returns 404 a few days after it has finished.",
	}, a.getOperation, owned)
	a.listRoutes(r)
	a.sharedRoutes(r)
	a.searchRoutes(r)
	a.fileRoutes(r)
	a.similarRoute(r)
	a.recordRoutes(r)
	a.modelRoutes(r)
	a.previewRoute(r)
	a.pageRoute(r)
	r.Handle(zipOperation(), a.limited(a.zip), linked, tooManyDownloads, web.Refusals{http.StatusConflict: {"too-many-files"}})
	a.streamRoute(r)
	r.Handle(textOperation(), a.limited(a.text), linked, ofFile, tooManyDownloads)
	r.Handle(readerOperation(), a.limited(a.page), linked, ofFile, tooManyDownloads)
}

// Limits of downloads that stream through this process: in total and per client address. One owner gets at most half.
const (
	downloads          = 256
	downloadsPerClient = 192
)

// tooManyDownloads lists the problems of a rejected download.
var tooManyDownloads = web.Refusals{http.StatusTooManyRequests: {"too-many-at-once"}}

// limited returns a handler that holds one of the slots for downloads.
func (a *Area) limited(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		leave, err := web.CallerOf(r.Context()).Enter(a.downloads, "downloads")
		if err != nil {
			web.WriteError(w, r, err)
			return
		}
		defer leave()
		serve(w, r)
	}
}

// nodeOutput is a response that contains a node.
type nodeOutput struct {
	ETag         string `header:"ETag"`
	CacheControl string `header:"Cache-Control"`
	Body         library.NodeView
}

func output(n library.Node, c library.Caller) *nodeOutput {
	return &nodeOutput{ETag: n.ETag(), CacheControl: noStore, Body: n.View(c)}
}

type nodeInput struct {
	web.IDParam
	ReaderParam
	wait.Param
}

func (a *Area) getNode(ctx context.Context, in *nodeInput) (*nodeOutput, error) {
	c, err := a.reader(ctx, in.ReaderParam)
	if err != nil {
		return nil, problem(err)
	}
	read := func(ctx context.Context, id string) (library.Path, error) { return a.store.Readable(ctx, id, c) }
	path, err := wait.Read(ctx, a.waits, library.Name, in.ID, in.Param, read, library.Path.Ended)
	if err != nil {
		return nil, problem(err)
	}
	return a.explained(ctx, path.Node(), c)
}

// explained returns a node with the reason why it is not completely processed, if there is one.
func (a *Area) explained(ctx context.Context, n library.Node, c library.Caller) (*nodeOutput, error) {
	reasons, err := a.store.Reasons(ctx, n)
	if err != nil {
		return nil, problem(err)
	}
	out := output(n, c)
	out.Body.ErrorMessage = reasons[n.ID]
	return out, nil
}

type ownerInput struct{ web.CallerParam }

func (a *Area) getRoot(ctx context.Context, in *ownerInput) (*nodeOutput, error) {
	if in.Caller.Owner == "" {
		return nil, problem(errNoOwner)
	}
	root, err := a.store.Root(ctx, in.Caller.Owner)
	if err != nil {
		return nil, problem(err)
	}
	return output(root, libraryCaller(in.Caller)), nil
}

type readInput struct {
	web.IDParam
	ReaderParam
}

type pathOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         nodePath
}

type nodePath struct {
	Nodes []library.NodeView `json:"nodes"`
}

func (a *Area) getPath(ctx context.Context, in *readInput) (*pathOutput, error) {
	path, c, err := a.readable(ctx, in.ID, in.ReaderParam)
	if err != nil {
		return nil, problem(err)
	}
	visible := path.Visible(c)
	out := &pathOutput{CacheControl: noStore, Body: nodePath{make([]library.NodeView, len(visible))}}
	for i, n := range visible {
		out.Body.Nodes[len(visible)-1-i] = n.View(c)
	}
	return out, nil
}

type ownedInput struct {
	web.IDParam
	web.CallerParam
}

type permissionsOutput struct {
	ETag         string `header:"ETag"`
	CacheControl string `header:"Cache-Control"`
	Body         library.PermissionsView
}

func (a *Area) getPermissions(ctx context.Context, in *ownedInput) (*permissionsOutput, error) {
	path, err := a.owned(ctx, in.ID, in.Caller)
	if err != nil {
		return nil, problem(err)
	}
	n := path.Node()
	return &permissionsOutput{ETag: n.ETag(), CacheControl: noStore, Body: n.Permissions.View()}, nil
}

type linksOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         struct {
		Links []library.LinkView `json:"links" nullable:"false"`
	}
}

func (a *Area) listLinks(ctx context.Context, in *ownedInput) (*linksOutput, error) {
	path, err := a.owned(ctx, in.ID, in.Caller)
	if err != nil {
		return nil, problem(err)
	}
	out := &linksOutput{CacheControl: noStore}
	out.Body.Links = []library.LinkView{}
	links, err := a.links.Links(ctx)
	switch {
	case errors.Is(err, library.ErrLink): // no link to any node was ever created
		return out, nil
	case err != nil:
		return nil, err
	}
	out.Body.Links, err = links.List(path.Node(), time.Now())
	return out, err
}

type linkInput struct {
	web.CallerParam
	Token string `path:"token" maxLength:"200"`
}

func (a *Area) getLink(ctx context.Context, in *linkInput) (*nodeOutput, error) {
	c, err := a.callerOf(ctx, in.Caller, in.Token)
	if err != nil {
		return nil, problem(err)
	}
	path, err := a.store.Readable(ctx, c.Link.NodeID, library.Caller{Link: c.Link}) // access is granted by the link alone
	if err != nil {
		return nil, problem(err)
	}
	return a.explained(ctx, path.Node(), c)
}

type operationOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         library.OperationView
}

func (a *Area) getOperation(ctx context.Context, in *ownedInput) (*operationOutput, error) {
	w, err := a.store.Workflow(ctx, in.ID)
	if err == nil && (w.WorkflowType != library.EraseWorkflow || w.UserID != in.Caller.Owner) {
		return nil, web.NotFound("There is no operation with this id.")
	}
	if err != nil {
		return nil, problem(err)
	}
	return &operationOutput{CacheControl: noStore, Body: w.Operation()}, nil
}
