package web

import (
	"bytes"
	_ "embed"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	g "maragu.dev/gomponents"
	"maragu.dev/gomponents/components"
	h "maragu.dev/gomponents/html"
)

//go:embed docs.css
var docsStyle string

// docsHandler serves the OpenAPI document as a readable page without scripts or external resources.
// It does not use html/template, which calls methods by name: the linker then keeps every method of
// every package, a third of each program.
func docsHandler(api *huma.OpenAPI) http.HandlerFunc {
	page := sync.OnceValues(func() ([]byte, error) { return renderDocs(api) })
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := page()
		if err != nil {
			WriteError(w, r, err)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		_, _ = w.Write(body) // fails only if the client has disconnected
	}
}

func renderDocs(api *huma.OpenAPI) ([]byte, error) {
	groups := operationGroups(api)
	var out bytes.Buffer
	err := components.HTML5(components.HTML5Props{
		Title: api.Info.Title + " API", Language: "en", Head: []g.Node{h.StyleEl(g.Raw(docsStyle))},
		Body: []g.Node{
			h.H1(g.Text(api.Info.Title+" "), h.Span(h.Class("soft"), g.Text(api.Info.Version))),
			h.P(h.Class("text"), g.Text(api.Info.Description)),
			h.P(g.Text("For programs: "), h.A(h.Href("openapi.json"), g.Text("openapi.json")), g.Text(" (OpenAPI 3.1).")),
			h.Nav(g.Map(groups, operationLinks)),
			g.Map(groups, operationSections),
			h.H2(g.Text("Responses of all operations")),
			byName(api.Components.Responses, responseSection),
			h.H2(g.Text("Types")),
			byName(api.Components.Schemas.Map(), schemaSection),
		},
	}).Render(&out)
	if err != nil {
		return nil, fmt.Errorf("web: docs page: %w", err)
	}
	return out.Bytes(), nil
}

type operationGroup struct {
	Tag        string
	Operations []*huma.Operation
}

// operationGroups lists the operations by their first tag, in the order of path and method.
func operationGroups(api *huma.OpenAPI) []*operationGroup {
	var groups []*operationGroup
	for _, op := range Operations(api) {
		tag := ""
		if len(op.Tags) > 0 {
			tag = op.Tags[0]
		}
		i := slices.IndexFunc(groups, func(g *operationGroup) bool { return g.Tag == tag })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &operationGroup{Tag: tag})
		}
		groups[i].Operations = append(groups[i].Operations, op)
	}
	return groups
}
