package library

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/guard"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/admission"
)

func (a *Area) pageRoutes(r *web.Router) {
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "import-library-page", Method: http.MethodPost, Path: "/v1/library/pages", Tags: []string{tag},
		Summary: "Import a web page by its URL",
		Description: "Creates a file, then fetches the URL and processes it like an upload: a web page with its text and preview picture (og:image), a PDF or a picture. " +
			"A response may have at most 20 MiB, take at most 30 s and follow at most 5 redirects. Addresses in private networks and ports other than 80 and 443 are rejected unless the server allows them: " +
			"with 422 if the URL contains one, and with a Failed file if a name or redirect leads to one. The errorMessage of the file describes all failures.",
		DefaultStatus: http.StatusAccepted,
	}, a.postPage, admission.Refusals, accept.Creates, changes, web.Refusals{http.StatusUnprocessableEntity: {"url-not-allowed"}})
}

type pageInput struct {
	web.OwnerParam
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"requires X-Owner-Id. A repeated call with the same key returns the file of the first call as long as that file exists; a call with other parameters gets 422"`
	Body           struct {
		URL      string `json:"url" minLength:"1" maxLength:"1024" example:"https://example.com/article" doc:"http or https, without a user name"`
		Name     string `json:"name,omitempty" maxLength:"1024" doc:"default: the last part of the URL's path, or its host"`
		ParentID string `json:"parentId,omitempty" format:"uuid" doc:"id of a folder; default: the root"`
	}
}

func (a *Area) postPage(ctx context.Context, in *pageInput) (*nodeOutput, error) {
	if err := a.Admit(ctx, in.OwnerID, in.Named(), in.IdempotencyKey); err != nil {
		return nil, err
	}
	address, err := url.Parse(strings.TrimSpace(in.Body.URL))
	if err != nil {
		return nil, web.Invalid(web.FieldError{Field: "body.url", Message: "is not a URL"})
	}
	if err := a.pages.Check(address); errors.Is(err, guard.ErrBlocked) {
		return nil, web.NewProblem(http.StatusUnprocessableEntity, "url-not-allowed", "The URL is not allowed: "+err.Error()+".")
	} else if err != nil {
		return nil, err
	}
	address.Fragment = ""
	name := in.Body.Name
	if name == "" {
		name = pageName(address)
	}
	made, _, err := a.reserve(ctx, in.IdempotencyKey, library.NewFile{
		NewNode: library.NewNode{Owner: in.OwnerID, ParentID: in.Body.ParentID, Name: name}, ContentType: "text/html", Length: -1, Origin: address.String(),
	}, quota.Item{Bytes: -1}, nil)
	if err == nil && made.file.Unfetched() {
		err = a.Confirm(ctx, a.Upload(made))
	}
	return output(made.node, library.Caller{Owner: in.OwnerID}), err
}

// maxPageName is the maximum length of a page name, in characters.
const maxPageName = 100

// pageName returns the file name for a page, derived from its URL.
func pageName(address *url.URL) string {
	clean := func(name string) string {
		runes := []rune(library.PlainName(strings.Trim(name, ". ")))
		return library.PlainName(string(runes[:min(len(runes), maxPageName)]))
	}
	if name := clean(path.Base(address.Path)); name != "_" { // the path is /
		return name
	}
	return clean(address.Hostname())
}
