package operation

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// describesItsAPI: the document is valid OpenAPI 3.1, including its examples, and suitable for client generators:
// operations have ids, tags and problems, schemas have names, and lists cannot be null.
func describesItsAPI(t *testing.T, s system.System) {
	for _, address := range []string{s.HTTP, s.Operator} {
		if address == "" {
			continue
		}
		resp, body := system.System{HTTP: address}.Ask(t, http.MethodGet, "/openapi.json", nil, "")
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s/openapi.json returned %s, want 200", address, resp.Status)
		}
		document, err := openapi3.NewLoader().LoadFromData([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if err := document.Validate(t.Context()); err != nil {
			t.Errorf("%s/openapi.json: %v", address, err)
		}
		checkOperations(t, document)
		for name, schema := range document.Components.Schemas {
			if strings.HasSuffix(name, "Body") {
				t.Errorf("the schema %s has a name from the framework: name the type of the body", name)
			}
			checkSchema(t, name, schema)
		}
	}
}

var operationID = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

// checkOperations checks the properties that client generators use.
func checkOperations(t *testing.T, document *openapi3.T) {
	t.Helper()
	if len(document.Servers) == 0 || document.Info.Version == "" {
		t.Errorf("the document has %d servers and the version %q, want at least one server and a version", len(document.Servers), document.Info.Version)
	}
	ids := map[string]bool{}
	for path, item := range document.Paths.Map() {
		for method, op := range item.Operations() {
			call := method + " " + path
			if !operationID.MatchString(op.OperationID) || ids[op.OperationID] {
				t.Errorf("%s: the operation id is %q, want a unique one of lower-case words with dashes", call, op.OperationID)
			}
			ids[op.OperationID] = true
			if len(op.Tags) == 0 || op.Summary == "" {
				t.Errorf("%s has the tags %q and the summary %q, want both", call, op.Tags, op.Summary)
			}
			for status, response := range op.Responses.Map() {
				for kind, content := range response.Value.Content {
					checkInline(t, call+" "+status+" "+kind, content.Schema)
				}
			}
			if problems, ok := op.Extensions["x-problems"].(map[string]any); !ok || len(problems) == 0 || op.Responses.Default() == nil {
				t.Errorf("%s lists the problems %v, want at least one and the response default", call, op.Extensions["x-problems"])
			}
			if op.RequestBody != nil {
				for kind, content := range op.RequestBody.Value.Content {
					checkInline(t, call+" "+kind, content.Schema)
				}
			}
		}
	}
}

// checkInline reports a oneOf or anyOf without a name, for which client generators create no named type.
func checkInline(t *testing.T, where string, schema *openapi3.SchemaRef) {
	t.Helper()
	if schema != nil && schema.Ref == "" && len(schema.Value.OneOf)+len(schema.Value.AnyOf) > 0 {
		t.Errorf("%s has an inline oneOf or anyOf: move it to the schemas of the components", where)
	}
}

// checkSchema reports lists that can be null, and inline oneOf and anyOf schemas.
func checkSchema(t *testing.T, name string, schema *openapi3.SchemaRef) {
	t.Helper()
	for field, of := range schema.Value.Properties {
		if of.Ref != "" {
			continue
		}
		checkInline(t, name+"."+field, of)
		if of.Value.Type.Includes(openapi3.TypeArray) && of.Value.Type.Includes(openapi3.TypeNull) {
			t.Errorf(`%s.%s is a list that can be null: tag it with nullable:"false", and send [] if it is empty`, name, field)
		}
	}
}
