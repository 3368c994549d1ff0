package web

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// byName renders the entries of a map in the order of its keys.
func byName[T any](parts map[string]T, make func(string, T) g.Node) g.Node {
	return g.Map(slices.Sorted(maps.Keys(parts)), func(name string) g.Node { return make(name, parts[name]) })
}

func operationLinks(group *operationGroup) g.Node {
	return g.Group{
		g.If(group.Tag != "", h.H3(g.Text(group.Tag))),
		h.Ul(g.Map(group.Operations, func(op *huma.Operation) g.Node {
			return h.Li(h.A(h.Href("#"+op.Method+"-"+op.Path), operationName(op)))
		})),
	}
}

func operationName(op *huma.Operation) g.Node {
	return g.Group{h.Span(h.Class("method"), g.Text(op.Method)), h.Span(h.Class("path"), g.Text(op.Path))}
}

func operationSections(group *operationGroup) g.Node {
	return g.Group{h.H2(g.Text(cmp.Or(group.Tag, "Operations"))), g.Map(group.Operations, operationSection)}
}

func operationSection(op *huma.Operation) g.Node {
	return h.Section(h.ID(op.Method+"-"+op.Path),
		h.H3(operationName(op)),
		g.If(op.Summary != "", h.P(h.Strong(g.Text(op.Summary)))),
		described(op.Description),
		g.If(len(op.Parameters) > 0, h.Table(titles("Parameter", "In", "Type", ""), g.Map(op.Parameters, func(p *huma.Param) g.Node {
			return h.Tr(h.Td(field(p.Name, p.Required)), h.Td(g.Text(p.In)), h.Td(schemaType(p.Schema)), h.Td(meaning(p.Description, p.Schema)))
		}))),
		g.Iff(op.RequestBody != nil, func() g.Node {
			return h.Table(titles("Body", "Type"), byName(op.RequestBody.Content, func(name string, media *huma.MediaType) g.Node {
				return h.Tr(h.Td(h.Code(g.Text(name))), h.Td(mediaType(media)))
			}))
		}),
		answers(op.Responses),
	)
}

// answers renders the responses of an operation, and links those that it shares with others.
func answers(responses map[string]*huma.Response) g.Node {
	own, shared := map[string]*huma.Response{}, map[string]*huma.Response{}
	for status, answer := range responses {
		if answer.Ref == "" {
			own[status] = answer
		} else {
			shared[status] = answer
		}
	}
	return g.Group{
		answerTable(own),
		g.If(len(shared) > 0, h.P(h.Class("soft"), g.Text("And of all operations: "), byName(shared, func(status string, answer *huma.Response) g.Node {
			return g.Group{h.A(h.Href("#response-"+baseName(answer.Ref)), g.Text(status)), g.Text(" ")}
		}))),
	}
}

func answerTable(responses map[string]*huma.Response) g.Node {
	return h.Table(titles("Answer", "", "Type"), byName(responses, func(status string, answer *huma.Response) g.Node {
		return h.Tr(h.Td(h.Code(g.Text(status))),
			h.Td(g.Text(answer.Description), byName(answer.Headers, func(name string, _ *huma.Param) g.Node {
				return g.Group{h.Br(), h.Span(h.Class("soft"), g.Text("header "), h.Code(g.Text(name)))}
			})),
			h.Td(contents(answer)))
	}))
}

func contents(answer *huma.Response) g.Node {
	return byName(answer.Content, func(name string, media *huma.MediaType) g.Node {
		return g.Group{h.Code(g.Text(name)), g.Text(" "), mediaType(media), h.Br()}
	})
}

func responseSection(name string, answer *huma.Response) g.Node {
	return h.Section(h.ID("response-"+name), h.H3(g.Text(name)), described(answer.Description), h.P(contents(answer)))
}

func schemaSection(name string, s *huma.Schema) g.Node {
	return h.Section(h.ID("schema-"+name), h.H3(g.Text(name)), described(s.Description), properties(s))
}

func described(text string) g.Node { return g.If(text != "", h.P(h.Class("text"), g.Text(text))) }

func titles(of ...string) g.Node {
	return h.Tr(g.Map(of, func(title string) g.Node { return h.Th(g.Text(title)) }))
}

func field(name string, required bool) g.Node {
	return g.Group{h.Code(g.Text(name)), g.If(required, g.Text(" *"))}
}

func meaning(description string, s *huma.Schema) g.Node {
	return g.Group{g.Text(description + " "), h.Span(h.Class("soft"), g.Text(schemaRules(s)))}
}

func mediaType(media *huma.MediaType) g.Node {
	switch {
	case media.Schema == nil:
		return nil
	case len(media.Schema.Properties) > 0:
		return properties(media.Schema)
	}
	return schemaType(media.Schema)
}

func properties(s *huma.Schema) g.Node {
	return h.Table(titles("Field", "Type", ""), byName(s.Properties, func(name string, of *huma.Schema) g.Node {
		return h.Tr(h.Td(field(name, slices.Contains(s.Required, name))), h.Td(schemaType(of)), h.Td(meaning(of.Description, of)))
	}))
}

// baseName returns the name of the component that a reference has.
func baseName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// schemaType names a schema's type, with links to the named ones.
func schemaType(s *huma.Schema) g.Node {
	switch {
	case s == nil:
		return g.Text("anything")
	case s.Ref != "":
		name := baseName(s.Ref)
		return h.A(h.Href("#schema-"+name), g.Text(name))
	case s.Type == huma.TypeArray:
		return g.Group{g.Text("list of "), schemaType(s.Items)}
	}
	text := cmp.Or(s.Type, "anything")
	if s.Format != "" {
		text += " (" + s.Format + ")"
	}
	return g.Text(text)
}

// schemaRules lists the constraints on a value.
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
