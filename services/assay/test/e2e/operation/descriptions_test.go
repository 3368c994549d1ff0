package operation

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestEverythingIsDescribed: tags, operations, parameters and properties have descriptions, and the document states its
// license and a contact. These are the rules of Redocly's recommended-strict and Spectral's oas ruleset that were not met
// before.
func TestEverythingIsDescribed(t *testing.T) {
	t.Parallel()
	for name, text := range documents(t) {
		document, err := openapi3.NewLoader().LoadFromData(text)
		if err != nil {
			t.Fatal(err)
		}
		if document.Info.License == nil || document.Info.License.Name == "" || document.Info.Contact == nil {
			t.Errorf("%s: the license is %v and the contact %v, want both", name, document.Info.License, document.Info.Contact)
		}
		for _, tag := range document.Tags {
			if tag.Description == "" {
				t.Errorf("%s: the tag %s has no description: add it to pkg/web/docs/fields.txt", name, tag.Name)
			}
		}
		for path, item := range document.Paths.Map() {
			for method, op := range item.Operations() {
				if op.Description == "" {
					t.Errorf("%s: %s %s has no description", name, method, path)
				}
				for _, p := range op.Parameters {
					if p.Value.Description == "" {
						t.Errorf("%s: the parameter %s of %s %s has no description: add a tag doc", name, p.Value.Name, method, path)
					}
				}
			}
		}
		properties := 0
		for in, schema := range document.Components.Schemas {
			for property, of := range schema.Value.Properties {
				properties++
				if of.Value.Description == "" && of.Extensions["description"] == nil {
					t.Errorf("%s: the property %s.%s has no description: add a tag doc", name, in, property)
				}
			}
		}
		if properties < 100 {
			t.Errorf("%s has %d properties, want at least 100", name, properties)
		}
	}
}
