package library

import (
	"net/http"
	"net/url"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/web"
)

// toPage is the middleware of getLink. It redirects a browser to the page of the node, where a person sees it. Caches store
// neither the redirect nor the node.
func (a *Area) toPage(ctx huma.Context, next func(huma.Context)) {
	if !web.FromBrowser(ctx.Header("Accept")) {
		next(ctx)
		return
	}
	token := ctx.Param("token")
	c, err := a.callerOf(ctx.Context(), web.Caller{}, token)
	if err != nil { // getLink returns the problem
		next(ctx)
		return
	}
	ctx.SetHeader("Location", "/library/"+c.Link.NodeID+"?"+url.Values{"link": {token}}.Encode())
	ctx.SetHeader("Cache-Control", noStore)
	ctx.SetStatus(http.StatusSeeOther)
}

func pageResponse() *huma.Response {
	text := &huma.Schema{Type: "string"}
	return &huma.Response{
		Description: "The page of the node, for browsers",
		Headers:     map[string]*huma.Param{"Location": {Schema: text}, "Cache-Control": {Schema: text}},
	}
}
