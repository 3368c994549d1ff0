package operation

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/assay/serve"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
)

type exampleMedia struct {
	Schema   json.RawMessage
	Example  json.RawMessage
	Examples map[string]struct{ Value json.RawMessage }
}

// command matches samples with a quoted URL, which the shell does not split.
var command = regexp.MustCompile(`^curl (-X [A-Z]+ )?"\$ASSAY/v1/[^" ]+"( \\\n|$)`)

// TestExamplesAreValid: every operation has examples of its request and its responses, and each conforms to its schema.
func TestExamplesAreValid(t *testing.T) {
	t.Parallel()
	for name, text := range documents(t) {
		t.Run(name, func(t *testing.T) { checkExamples(t, text) })
	}
}

// documents returns the documents of the API for clients and for operators.
func documents(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for name, describe := range map[string][]func(*web.Router){
		"clients":   {ingest.Describe, query.Describe},
		"operators": {ingest.DescribeOperator, query.DescribeOperator, analyzer.DescribeOperator, serve.DescribeOperator},
	} {
		router := web.NewRouter(web.Options{Title: "Assay", Version: "1"})
		for _, d := range describe {
			d(router)
		}
		rec := httptest.NewRecorder()
		router.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/openapi.json", nil))
		all[name] = rec.Body.Bytes()
	}
	return all
}

func checkExamples(t *testing.T, text []byte) {
	var document struct {
		Info  struct{ Description string }
		Paths map[string]map[string]struct {
			Samples     []struct{ Source string } `json:"x-codeSamples"`
			RequestBody struct{ Content map[string]exampleMedia }
			Responses   map[string]struct{ Content map[string]exampleMedia }
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(document.Info.Description, "`not-found`") {
		t.Errorf("the description is %q, want the list of problems", document.Info.Description)
	}
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("http://assay/openapi.json", root); err != nil {
		t.Fatal(err)
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	operations := 0
	for path, item := range document.Paths {
		for method, operation := range item {
			operations++
			at := "http://assay/openapi.json#/paths/" + escape.Replace(path) + "/" + method
			if len(operation.Samples) != 1 || !command.MatchString(operation.Samples[0].Source) || strings.Contains(operation.Samples[0].Source, "/{") {
				t.Errorf("%s %s has the samples %v, want one curl command without placeholders", method, path, operation.Samples)
			}
			check(t, compiler, at+"/requestBody/content/", operation.RequestBody.Content, escape)
			for status, response := range operation.Responses {
				if strings.HasPrefix(status, "2") {
					check(t, compiler, at+"/responses/"+status+"/content/", response.Content, escape)
				}
			}
		}
	}
	if operations < 20 {
		t.Errorf("the document has %d operations, want at least 20", operations)
	}
}

// check validates the examples of JSON contents. Other contents, such as pictures, need no examples.
func check(t *testing.T, compiler *jsonschema.Compiler, at string, content map[string]exampleMedia, escape *strings.Replacer) {
	for kind, media := range content {
		if kind != "application/json" {
			continue
		}
		var examples []json.RawMessage
		for _, example := range media.Examples {
			examples = append(examples, example.Value)
		}
		if len(examples) == 0 {
			examples = append(examples, media.Example)
		}
		schema, err := compiler.Compile(at + escape.Replace(kind) + "/schema")
		if err != nil {
			t.Fatal(err)
		}
		for _, example := range examples {
			if len(example) == 0 || string(example) == "null" || string(example) == "{}" {
				t.Errorf("%s%s: the example is %q, want a value", at, kind, example)
				continue
			}
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(example))
			if err == nil {
				err = schema.Validate(value)
			}
			if err != nil {
				t.Errorf("%s%s: %v\n%.300s", at, kind, err, example)
			}
		}
	}
}
