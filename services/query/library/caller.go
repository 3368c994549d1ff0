package library

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/web"
)

// ReaderParam is who reads: embed it in the input.
type ReaderParam struct {
	web.CallerParam
	Link string `query:"link" maxLength:"200" doc:"the token of a share link, which allows to read its node and all below it"`
}

// Resolve is called by huma after it has read the request. It is that of CallerParam, at the depth of the
// other parameters that resolve: of embedded ones, huma calls only the least deep.
func (p *ReaderParam) Resolve(ctx huma.Context) []error { return p.CallerParam.Resolve(ctx) }

// reader returns the caller of a read. It returns library.ErrLink for a link that is not valid, whether
// the caller needs it or not.
func (a *Area) reader(ctx context.Context, p ReaderParam) (library.Caller, error) {
	return a.callerOf(ctx, p.Caller, p.Link)
}

// of is who makes a request, without a share link.
func of(who web.Caller) library.Caller {
	return library.Caller{Owner: who.Owner, Groups: who.Groups()}
}

func (a *Area) callerOf(ctx context.Context, who web.Caller, token string) (library.Caller, error) {
	c := of(who)
	if token == "" {
		return c, nil
	}
	links, err := a.links.Links(ctx)
	if err == nil {
		c.Link, err = links.Read(token, time.Now())
	}
	return c, err
}

// readable reads the path of a node that the caller of a request may read.
func (a *Area) readable(ctx context.Context, id string, p ReaderParam) (library.Path, library.Caller, error) {
	c, err := a.reader(ctx, p)
	if err != nil {
		return nil, c, err
	}
	path, err := a.store.Readable(ctx, id, c)
	return path, c, err
}

// readableFile is readable for a file.
func (a *Area) readableFile(ctx context.Context, id string, p ReaderParam) (library.File, library.Path, library.Caller, error) {
	path, c, err := a.readable(ctx, id, p)
	if err != nil {
		return library.File{}, path, c, err
	}
	if path.Node().Type != library.KindFile {
		return library.File{}, path, c, errNotFile
	}
	file, err := a.store.File(ctx, id)
	return file, path, c, err
}

// owned is readable for what only the owner is shown: to others it does not exist.
func (a *Area) owned(ctx context.Context, id string, who web.Caller) (library.Path, error) {
	path, err := a.store.Readable(ctx, id, of(who))
	if err == nil && path.Node().OwnedBy != who.Owner {
		return nil, lifecycle.ErrNotFound
	}
	return path, err
}

var (
	errNotFile = errors.New("the node is not a file")
	errNoOwner = errors.New("the list is that of an owner")
	errLoading = errors.New("the file has no bytes yet")
	errGone    = errors.New("the bytes of the file were removed")
	errTooMany = errors.New("there are too many files for one zip")
)

// linked, owned and indexed are the problems of reads that take a link, of those of an owner and of those that
// the search index answers; the others are those of reads of a folder, of a file and of its records.
var (
	linked    = web.Refusals{http.StatusNotFound: {"link-not-valid"}}
	owned     = web.Refusals{http.StatusBadRequest: {"owner-required"}}
	ofNode    = web.Refusals{http.StatusConflict: {"not-a-folder"}}
	ofFile    = web.Refusals{http.StatusConflict: {"not-a-file", "not-uploaded"}, http.StatusGone: {"content-removed"}}
	indexed   = web.Refusals{http.StatusServiceUnavailable: {"index-not-ready"}}
	ofRecords = web.Refusals{http.StatusConflict: {"not-a-file", "not-processed"}}
)

// problem translates errors that a client can resolve.
func problem(err error) error {
	if p := searchProblem(err); p != nil {
		return p
	}
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return web.NotFound("No node of the library with this id.")
	case errors.Is(err, library.ErrLink):
		return web.NewProblem(http.StatusNotFound, "link-not-valid", "The link has expired or was revoked.")
	case errors.Is(err, table.ErrCursor):
		return web.InvalidCursor()
	case errors.Is(err, errNotFile):
		return web.NewProblem(http.StatusConflict, "not-a-file", "The node is not a file.")
	case errors.Is(err, errNoOwner):
		return web.NewProblem(http.StatusBadRequest, "owner-required", "Send X-Owner-Id: the list is that of an owner.")
	case errors.Is(err, errLoading):
		return web.NewProblem(http.StatusConflict, "not-uploaded", "The file has not been uploaded yet.")
	case errors.Is(err, errGone):
		return web.NewProblem(http.StatusGone, "content-removed", "The content of the file has been removed.")
	case errors.Is(err, errTooMany):
		return web.NewProblem(http.StatusConflict, "too-many-files", tooMany)
	}
	return recordProblem(err)
}
