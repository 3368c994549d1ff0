package web

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed docs.html
var docsPage string

// docsHandler serves the OpenAPI document as a page for people: made here, with no script and nothing
// from elsewhere.
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
		_, _ = w.Write(body) // fails only when the client is gone
	}
}

func renderDocs(api *huma.OpenAPI) ([]byte, error) {
	page, err := template.New("docs").Funcs(template.FuncMap{
		"typeOf": func(s *huma.Schema) template.HTML { return schemaType(s) },
		"rules":  schemaRules,
		"has":    slices.Contains[[]string],
	}).Parse(docsPage)
	if err != nil {
		return nil, fmt.Errorf("web: docs template: %w", err)
	}
	var out bytes.Buffer
	err = page.Execute(&out, map[string]any{
		"Info": api.Info, "Groups": operationGroups(api), "Schemas": api.Components.Schemas.Map(),
	})
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
	for _, path := range slices.Sorted(maps.Keys(api.Paths)) {
		item := api.Paths[path]
		for _, op := range []*huma.Operation{
			item.Get, item.Head, item.Post, item.Put, item.Patch, item.Delete, item.Options, item.Trace,
		} {
			if op == nil {
				continue
			}
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
	}
	return groups
}

// schemaType names a schema's type, with links to the named ones.
func schemaType(s *huma.Schema) template.HTML {
	switch {
	case s == nil:
		return "anything"
	case s.Ref != "":
		name := template.HTMLEscapeString(s.Ref[strings.LastIndexByte(s.Ref, '/')+1:])
		return template.HTML(`<a href="#schema-` + name + `">` + name + `</a>`)
	case s.Type == huma.TypeArray:
		return "list of " + schemaType(s.Items)
	}
	text := s.Type
	if text == "" {
		text = "anything"
	}
	if s.Format != "" {
		text += " (" + s.Format + ")"
	}
	return template.HTML(template.HTMLEscapeString(text))
}

// schemaRules lists what a value must keep to.
func schemaRules(s *huma.Schema) string {
	if s == nil {
		return ""
	}
	var rules []string
	add := func(format string, value any) { rules = append(rules, fmt.Sprintf(format, value)) }
	if len(s.Enum) > 0 {
		add("one of %v", strings.Trim(fmt.Sprint(s.Enum), "[]"))
	}
	if s.Minimum != nil {
		add("≥ %v", *s.Minimum)
	}
	if s.Maximum != nil {
		add("≤ %v", *s.Maximum)
	}
	if s.MinLength != nil {
		add("length ≥ %d", *s.MinLength)
	}
	if s.MaxLength != nil {
		add("length ≤ %d", *s.MaxLength)
	}
	if s.MinItems != nil {
		add("at least %d", *s.MinItems)
	}
	if s.MaxItems != nil {
		add("at most %d", *s.MaxItems)
	}
	if s.Pattern != "" {
		add("pattern %s", s.Pattern)
	}
	if s.Default != nil {
		add("default %v", s.Default)
	}
	return strings.Join(rules, ", ")
}
