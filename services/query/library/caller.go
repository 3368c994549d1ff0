package library

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/find"
)

// ReaderParam identifies the reader. Embed it in the input of a call.
type ReaderParam struct {
	web.CallerParam
	Link string `query:"link" maxLength:"200" doc:"the token of a share link, which grants read access to its node and everything below it"`
}

// Resolve is called by huma after it has read the request. It shadows the method of CallerParam: of all
// embedded parameters, huma calls only the Resolve methods at the shallowest depth.
func (p *ReaderParam) Resolve(ctx huma.Context) []error { return p.CallerParam.Resolve(ctx) }

// reader returns the caller of a read. It returns library.ErrLink if the link is invalid, even if the
// caller could read the node without it.
func (a *Area) reader(ctx context.Context, p ReaderParam) (library.Caller, error) {
	return a.callerOf(ctx, p.Caller, p.Link)
}

// libraryCaller returns the caller of a request without a share link.
func libraryCaller(who web.Caller) library.Caller {
	return library.Caller{Owner: who.Owner, Groups: who.Groups()}
}

func (a *Area) callerOf(ctx context.Context, who web.Caller, token string) (library.Caller, error) {
	c := libraryCaller(who)
	if token == "" {
		return c, nil
	}
	links, err := a.links.Links(ctx)
	if err == nil {
		c.Link, err = links.Read(token, time.Now())
	}
	return c, err
}

// forEveryone returns nil if the node in the path of a request exists and the request may read it without a
// credential, with the share link that it contains. Requests to lists name no node.
func (a *Area) forEveryone(r *http.Request) error {
	id, link := r.PathValue("id"), r.PathValue("token")
	if id == "" && link == "" {
		return nil
	}
	c, err := a.callerOf(r.Context(), web.CallerOf(r.Context()), cmp.Or(link, r.URL.Query().Get("link")))
	if err != nil {
		return problem(err)
	}
	if link != "" {
		id = c.Link.NodeID
	}
	node, err := uuid.Parse(id)
	if err != nil {
		return problem(lifecycle.ErrNotFound)
	}
	_, err = a.store.Readable(r.Context(), node.String(), c)
	return problem(err)
}

// readable returns the path of a node that the caller may read.
func (a *Area) readable(ctx context.Context, id string, p ReaderParam) (library.Path, library.Caller, error) {
	c, err := a.reader(ctx, p)
	if err != nil {
		return nil, c, err
	}
	path, err := a.store.Readable(ctx, id, c)
	return path, c, err
}

// readableFile is like readable, and also returns the file. It returns errNotFile if the node is not a file.
func (a *Area) readableFile(ctx context.Context, id string, p ReaderParam) (library.File, library.Path, library.Caller, error) {
	path, c, err := a.readable(ctx, id, p)
	if err != nil {
		return library.File{}, path, c, err
	}
	if !path.Node().IsFile() {
		return library.File{}, path, c, errNotFile
	}
	file, err := a.store.File(ctx, id)
	return file, path, c, err
}

// owned is like readable, for data that only the owner may see. For everyone else the node does not exist.
func (a *Area) owned(ctx context.Context, id string, who web.Caller) (library.Path, error) {
	path, err := a.store.Readable(ctx, id, libraryCaller(who))
	if err == nil && path.Node().OwnedBy != who.Owner {
		return nil, lifecycle.ErrNotFound
	}
	return path, err
}

var (
	errNotFile = errors.New("the node is not a file")
	errNoOwner = errors.New("the request requires an owner")
	errLoading = errors.New("the file has no content yet")
	errGone    = errors.New("the content of the file was removed")
	errTooMany = errors.New("too many files for one zip")
)

// linked, owned and indexed list the problems of reads that accept a share link, of reads that need an owner,
// and of reads from the search index. The other lists are for reads of folders, files and records.
var (
	linked    = web.Refusals{http.StatusNotFound: {"link-not-valid"}}
	owned     = web.Refusals{http.StatusBadRequest: {"owner-required"}}
	ofNode    = web.Refusals{http.StatusConflict: {"not-a-folder"}}
	ofFile    = web.Refusals{http.StatusConflict: {"not-a-file", "not-uploaded"}, http.StatusGone: {"content-removed"}}
	indexed   = web.Refusals{http.StatusServiceUnavailable: {"index-not-ready"}}
	ofRecords = web.Refusals{http.StatusConflict: {"not-a-file", "not-processed"}}
)

// problem converts errors that a client can act on into HTTP problems.
func problem(err error) error {
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return web.NotFound("The library has no node with this id.")
	case errors.Is(err, library.ErrLink):
		return web.NewProblem(http.StatusNotFound, "link-not-valid", "The link has expired or was revoked.")
	case errors.Is(err, table.ErrCursor):
		return web.InvalidCursor()
	case errors.Is(err, errNotFile):
		return web.NewProblem(http.StatusConflict, "not-a-file", "The node is not a file.")
	case errors.Is(err, errNotModel):
		return web.NewProblem(http.StatusConflict, "not-a-model", "The node is not a model.")
	case errors.Is(err, errNotTrained):
		return web.NewProblem(http.StatusConflict, "not-trained", err.Error())
	case errors.Is(err, errNoOwner):
		return web.NewProblem(http.StatusBadRequest, "owner-required", "Send X-Owner-Id: this request requires an owner.")
	case errors.Is(err, errLoading):
		return web.NewProblem(http.StatusConflict, "not-uploaded", "The file has not been uploaded yet.")
	case errors.Is(err, errGone):
		return web.NewProblem(http.StatusGone, "content-removed", "The content of the file has been removed.")
	case errors.Is(err, errTooMany):
		return web.NewProblem(http.StatusConflict, "too-many-files", tooMany)
	}
	return recordProblem(find.Problem(err))
}
