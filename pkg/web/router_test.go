package web_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/web"
)

func operation(method, path string) huma.Operation {
	return huma.Operation{OperationID: strings.ToLower(method) + strings.ReplaceAll(path, "/", "-"), Method: method, Path: path}
}

// ask sends one request to handler; header contains pairs of names and values.
func ask(handler http.Handler, method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body == "" {
		r = httptest.NewRequest(method, path, nil)
	}
	r.Host = "localhost"
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	handler.ServeHTTP(rec, r)
	return rec
}

type greeting struct {
	Body struct {
		Text string `json:"text" doc:"what is said"`
	}
}

type named struct {
	Name string `path:"name" maxLength:"5"`
}

func greet(_ context.Context, in *named) (*greeting, error) {
	out := &greeting{}
	out.Body.Text = "hello " + in.Name + " <&>"
	return out, nil
}

// TestEncodedBodies checks that an encoded response is sent unchanged, and is described by the
// schema of its type.
func TestEncodedBodies(t *testing.T) {
	type said struct {
		Body web.Encoded[struct {
			Text string `json:"text" doc:"what is said"`
		}]
	}
	router := web.NewRouter(web.Options{Title: "Assay", Version: "1", Log: zerolog.Nop()})
	web.Register(router, operation(http.MethodGet, "/v1/said"), func(ctx context.Context, _ *struct{}) (*said, error) {
		out := &said{}
		plain, err := greet(ctx, &named{Name: "ann"})
		if err == nil {
			out.Body, err = web.Encode(struct {
				Text string `json:"text" doc:"what is said"`
			}(plain.Body))
		}
		return out, err
	})
	got := ask(router, http.MethodGet, "/v1/said", "")
	if want := `{"text":"hello ann <&>"}` + "\n"; got.Body.String() != want || got.Header().Get("Content-Type") != "application/json" ||
		got.Header().Get("Content-Length") != strconv.Itoa(len(want)) {
		t.Errorf("got header %v, body %s, want JSON %s", got.Header(), got.Body, want)
	}
	if document := ask(router, http.MethodGet, "/openapi.json", "").Body.String(); !strings.Contains(document, `"what is said"`) {
		t.Errorf("got document %s, want one with the schema of the body", document)
	}
}

func TestTwoServicesAndPlainHandlersShareOneRouter(t *testing.T) {
	router := web.NewRouter(web.Options{Title: "Assay", Version: "1", Log: zerolog.Nop()})
	web.Register(router, operation(http.MethodGet, "/v1/ingest/{name}"), greet)
	answered := operation(http.MethodGet, "/v1/query/{name}")
	answered.Responses = map[string]*huma.Response{"202": {Description: "later"}}
	web.Register(router, answered, greet)
	router.Handle(operation(http.MethodGet, "/v1/events"), func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
	})
	hidden := operation(http.MethodGet, "/v1/hidden")
	hidden.Hidden = true
	router.Handle(hidden, func(http.ResponseWriter, *http.Request) {})

	for path, want := range map[string]int{
		"/v1/ingest/ann": 200, "/v1/query/bob": 200, "/v1/events": 202, "/v1/hidden": 200, "/healthz": 200, "/readyz": 200,
	} {
		if got := ask(router, http.MethodGet, path, ""); got.Code != want {
			t.Errorf("GET %s: got %d, want %d: %s", path, got.Code, want, got.Body)
		}
	}
	if got := ask(router, http.MethodGet, "/v1/query/bob", "").Body.String(); got != `{"text":"hello bob <&>"}`+"\n" {
		t.Errorf("got %s, want the plain body with no $schema", got)
	}

	var document struct {
		OpenAPI string `json:"openapi"`
		Paths   map[string]map[string]struct {
			Responses map[string]struct {
				Ref string `json:"$ref"`
			} `json:"responses"`
		} `json:"paths"`
		Components struct {
			Responses map[string]struct {
				Content map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					} `json:"schema"`
				} `json:"content"`
			} `json:"responses"`
			Schemas map[string]any `json:"schemas"`
		} `json:"components"`
	}
	body := ask(router, http.MethodGet, "/openapi.json", "").Body
	if err := json.Unmarshal(body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(document.OpenAPI, "3.1") || len(document.Paths) != 3 {
		t.Errorf("got OpenAPI %s with paths %v, want 3.1 with 3 paths", document.OpenAPI, document.Paths)
	}
	for path, item := range document.Paths {
		if ref := item["get"].Responses["default"].Ref; ref != "#/components/responses/Error" {
			t.Errorf("%s: got default response %q, want Error", path, ref)
		}
	}
	if ref := document.Components.Responses["Error"].Content["application/problem+json"].Schema.Ref; ref != "#/components/schemas/Problem" {
		t.Errorf("response Error: got %q, want Problem", ref)
	}
	if _, there := document.Components.Schemas["ErrorModel"]; there {
		t.Error("the document contains the error model of huma")
	}
}

func TestDocsLoadNothingFromOtherHosts(t *testing.T) {
	router := web.NewRouter(web.Options{Title: "Assay <API>", Version: "1", Log: zerolog.Nop(), Events: []byte("asyncapi: 3.0.0")})
	for path, want := range map[string]string{"/docs": `spec-url="/openapi.json"`, "/docs/events": `spec-url="/docs/asyncapi.yaml"`} {
		rec := ask(router, http.MethodGet, path, "")
		page, policy := rec.Body.String(), rec.Header().Get("Content-Security-Policy")
		if rec.Code != http.StatusOK || !strings.Contains(page, want) || !strings.Contains(page, "Assay &lt;API&gt;") {
			t.Errorf("%s: got %d %s, want a page with %s and the escaped title", path, rec.Code, page, want)
		}
		if strings.Contains(page, "http://") || strings.Contains(page, "https://") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") {
			t.Errorf("%s: got policy %s and page %s, want a strict policy and no absolute URLs", path, policy, page)
		}
		if again := ask(router, http.MethodGet, path, ""); again.Header().Get("Content-Security-Policy") == policy {
			t.Errorf("%s has the same nonce twice", path)
		}
	}
	served := ask(router, http.MethodGet, "/docs/redoc-3.0.1-1.js", "").Body.String()
	plain := strings.NewReplacer("data:,", "https://cdn.redoc.ly/redoc/", ` data-token="${i}"`, ` style="color: var(${i})"`).Replace(served)
	const published = "8c70c2de83d33e33a75b225e573d6d9fe851f066f824b44b1637d831d52d7543" // docs/SOURCE
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(plain))); sum != published {
		t.Errorf("the viewer without the changes of docs/SOURCE has the hash %s, want %s", sum, published)
	}
}

func TestOperationMayAcceptAnotherMediaType(t *testing.T) {
	type input struct {
		Body struct {
			Name string `json:"name"`
		}
	}
	router := web.NewRouter(web.Options{Log: zerolog.Nop()})
	op := operation(http.MethodPost, "/v1/files")
	op.MaxBodyBytes = 64
	op.Middlewares = huma.Middlewares{web.OnMediaType("multipart/form-data", func(w http.ResponseWriter, r *http.Request) {
		reader, err := r.MultipartReader()
		if err != nil {
			web.WriteError(w, r, err)
			return
		}
		part, err := reader.NextPart()
		if err != nil {
			web.WriteError(w, r, err)
			return
		}
		n, err := io.Copy(io.Discard, part)
		if err != nil || n != 1000 {
			t.Errorf("got a part of %d bytes, error %v, want 1000 bytes", n, err)
		}
		w.WriteHeader(http.StatusAccepted)
	})}
	op.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{
		"multipart/form-data": {Schema: &huma.Schema{Type: "object"}},
	}}
	web.Register(router, op, func(context.Context, *input) (*struct{}, error) { return nil, nil })

	if got := ask(router, http.MethodPost, "/v1/files", `{"name":"a"}`, "Content-Type", "application/json"); got.Code != 204 {
		t.Errorf("JSON: got %d %s, want 204", got.Code, got.Body)
	}
	var body strings.Builder
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(part, strings.Repeat("x", 1000))
	if err := errors.Join(err, form.Close()); err != nil {
		t.Fatal(err)
	}
	got := ask(router, http.MethodPost, "/v1/files", body.String(), "Content-Type", form.FormDataContentType())
	if got.Code != http.StatusAccepted {
		t.Errorf("multipart: got %d %s, want 202", got.Code, got.Body)
	}
	document := ask(router, http.MethodGet, "/openapi.json", "").Body.String()
	if !strings.Contains(document, `"multipart/form-data"`) || !strings.Contains(document, `"application/json"`) {
		t.Error("the document lacks one of the two bodies")
	}
}

// TestProblemsAreListedByStatus: the document lists a problem with two statuses once for each, in the same order in every
// process.
func TestProblemsAreListedByStatus(t *testing.T) {
	router := web.NewRouter(web.Options{Title: "Assay", Version: "1", Log: zerolog.Nop()})
	web.Register(router, operation(http.MethodGet, "/v1/hello/{name}"), greet,
		web.Refusals{http.StatusForbidden: {"other-owner"}, http.StatusConflict: {"other-owner", "busy"}})
	var document struct{ Info struct{ Description string } }
	if err := json.Unmarshal(ask(router, http.MethodGet, "/openapi.json", "").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(document.Info.Description) {
		if strings.Contains(line, "`busy`") || strings.Contains(line, "`other-owner`") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{"| `busy` | 409 | Busy |", "| `other-owner` | 403 | Other owner |", "| `other-owner` | 409 | Other owner |"}
	if !slices.Equal(got, want) {
		t.Errorf("got the lines %q, want %q", got, want)
	}
}
