package web

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed docs/fields.txt
var fieldTexts string

// descriptions returns the lines of docs/fields.txt by name.
var descriptions = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(fieldTexts) {
		if name, text, found := strings.Cut(strings.TrimSpace(line), ": "); found {
			all[name] = text
		}
	}
	return all
})

// document adds the list of tags and the missing descriptions to an API description. It changes no schema that validates
// requests in a way that validation reads.
func document(api *huma.OpenAPI) {
	known := descriptions()
	named := func(in, name string) string {
		if text := known[in+"."+name]; text != "" {
			return text
		}
		return known[name]
	}
	api.Tags = nil
	for _, op := range Operations(api) {
		for _, tag := range op.Tags {
			if !slices.ContainsFunc(api.Tags, func(t *huma.Tag) bool { return t.Name == tag }) {
				display := strings.ToUpper(tag[:1]) + tag[1:]
				api.Tags = append(api.Tags, &huma.Tag{Name: tag, Description: known["#"+tag], Extensions: map[string]any{"x-displayName": display}})
			}
		}
		for _, p := range op.Parameters {
			if p.Description == "" && p.Ref == "" {
				p.Description = named(op.OperationID, p.Name)
			}
		}
	}
	for in, schema := range api.Components.Schemas.Map() {
		for name, property := range schema.Properties {
			if property.Description == "" {
				property.Description = named(in, name)
			}
		}
	}
}

// describeHeaders returns the list of the headers that responses have in common, in Markdown.
func describeHeaders(api *huma.OpenAPI) string {
	var out strings.Builder
	out.WriteString("# Headers\n\nResponses of all operations have these headers, which `" + headersExtension +
		"` lists for programs. The others are described with their operations.\n\n| header | meaning |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(api.Components.Headers)) {
		out.WriteString("| `" + name + "` | " + api.Components.Headers[name].Description + " |\n")
	}
	return out.String() + "\n"
}
