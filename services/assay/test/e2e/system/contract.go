package system

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing/iotest"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Contract is the OpenAPI document of a server, against which its responses are checked.
type Contract struct {
	document struct {
		Paths      map[string]map[string]documentedOperation
		Headers    struct{ Every, Problem []string } `json:"x-response-headers"`
		Components struct {
			Responses map[string]documentedResponse
			Headers   map[string]documentedHeader
		}
	}
	routes   *http.ServeMux // matches requests to operations in the same way as the server
	compiler *jsonschema.Compiler

	mu      sync.Mutex
	schemas map[string]*jsonschema.Schema // by the pointer in the document
}

type documentedOperation struct {
	Responses map[string]documentedResponse
	Problems  map[string][]string `json:"x-problems"` // the last parts of their types, by status
}

type documentedResponse struct {
	Ref     string `json:"$ref"`
	Headers map[string]documentedHeader
	Content map[string]struct {
		Schema json.RawMessage
	}
}

type documentedHeader struct {
	Ref      string `json:"$ref"`
	Required bool
	Schema   struct{ Type string }
}

// documentURL is the base URL of the references in the document.
const documentURL = "http://assay/openapi.json"

func newContract(text []byte) (*Contract, error) {
	c := &Contract{routes: http.NewServeMux(), compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	if err := json.Unmarshal(text, &c.document); err != nil {
		return nil, fmt.Errorf("/openapi.json: %w", err)
	}
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = c.compiler.AddResource(documentURL, root)
	}
	if err != nil {
		return nil, fmt.Errorf("/openapi.json: %w", err)
	}
	c.compiler.AssertFormat()
	for path, item := range c.document.Paths {
		for method := range item {
			c.routes.Handle(strings.ToUpper(method)+" "+path, http.NotFoundHandler())
		}
	}
	return c, nil
}

// serverHeaders lists the headers that the HTTP server sets and that the document does not list.
var serverHeaders = []string{"Connection", "Content-Length", "Content-Type", "Date", "X-Content-Type-Options"}

// check returns an error that states how a response differs from the document, and how to fix it. body is
// nil for a response that is not JSON.
func (c *Contract) check(resp *http.Response, body []byte) error {
	if refusedByListener(resp) {
		return nil
	}
	_, pattern := c.routes.Handler(resp.Request)
	if pattern == "" {
		return c.checkUnrouted(resp, body)
	}
	method, path, _ := strings.Cut(pattern, " ")
	operation := c.document.Paths[path][strings.ToLower(method)]
	status := strconv.Itoa(resp.StatusCode)
	documented, found := operation.Responses[status]
	names := c.document.Headers.Every
	if !found && operation.Problems[status] != nil {
		status, names = "default", slices.Concat(names, c.document.Headers.Problem)
		documented, found = operation.Responses[status]
	}
	if !found {
		return errors.New("the document does not list this status: pass it as web.Refusals to web.Register or Router.Handle if it is a problem, and as a response of the huma.Operation otherwise")
	}
	at := pointer("paths", path, strings.ToLower(method), "responses", status)
	if name, shared := strings.CutPrefix(documented.Ref, "#/components/responses/"); shared {
		documented, at = c.document.Components.Responses[name], pointer("components", "responses", name)
	}
	headers := maps.Clone(documented.Headers)
	if headers == nil {
		headers = map[string]documentedHeader{}
	}
	for _, name := range names {
		headers[name] = documentedHeader{Ref: "#/components/headers/" + name}
	}
	if err := c.checkHeaders(resp.Header, headers, at); err != nil {
		return err
	}
	if resp.Request.Method == http.MethodHead {
		return nil
	}
	return c.checkBody(resp, body, documented, operation.Problems[strconv.Itoa(resp.StatusCode)], at)
}

// refusedByListener reports whether the listener rejected the connection before it read a request.
func refusedByListener(resp *http.Response) bool {
	return resp.ContentLength == 0 && resp.Header.Get("X-Request-Id") == "" && resp.Close &&
		(resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable)
}

// checkUnrouted checks the response to a request that matches no operation: under /v1/, an error is a problem.
func (c *Contract) checkUnrouted(resp *http.Response, body []byte) error {
	kind := resp.Header.Get("Content-Type")
	switch {
	case kind == "application/problem+json":
		return c.validate(body, pointer("components", "schemas", "Problem"))
	case strings.HasPrefix(resp.Request.URL.Path, "/v1/") && resp.StatusCode >= http.StatusBadRequest && resp.Request.Method != http.MethodHead:
		return fmt.Errorf("the response to a request that matches no operation has the type %q, not application/problem+json", kind)
	}
	return nil
}

func (c *Contract) checkHeaders(sent http.Header, documented map[string]documentedHeader, at string) error {
	canonical := map[string]bool{}
	for name, header := range documented {
		name, where := http.CanonicalHeaderKey(name), at+pointer("headers", name)[1:]
		canonical[name] = true
		if shared, found := strings.CutPrefix(header.Ref, "#/components/headers/"); found {
			header, where = c.document.Components.Headers[shared], pointer("components", "headers", shared)
		}
		value := sent.Get(name)
		if value == "" {
			if header.Required {
				return fmt.Errorf("the header %s is missing", name)
			}
			continue
		}
		if header.Schema.Type == "string" {
			value = JSON(value)
		}
		if err := c.validate([]byte(value), where+"/schema"); err != nil {
			return fmt.Errorf("the header %s: %w", name, err)
		}
	}
	for name := range sent {
		if !canonical[name] && !slices.Contains(serverHeaders, name) {
			return fmt.Errorf("the document does not list the header %s: add it to the Headers of the response, or to the output of the handler", name)
		}
	}
	return nil
}

// checkBody checks the content of a response. problems are those of its status.
func (c *Contract) checkBody(resp *http.Response, body []byte, documented documentedResponse, problems []string, at string) error {
	sent := resp.Header.Get("Content-Type")
	if sent == "" && len(documented.Content) == 0 {
		return nil
	}
	kind, _, err := mime.ParseMediaType(sent)
	if err != nil {
		return fmt.Errorf("the content type %q is missing or invalid; the document lists %d content types for this status", sent, len(documented.Content))
	}
	if _, found := documented.Content[kind]; !found {
		return fmt.Errorf("the document does not list the content type %s for this status", kind)
	}
	if !isJSON(kind) {
		return nil
	}
	if err := c.validate(body, at+pointer("content", kind, "schema")[1:]); err != nil {
		return fmt.Errorf("%w\nbody: %.2000s", err, body)
	}
	if kind == "application/problem+json" {
		var problem Problem
		if err := json.Unmarshal(body, &problem); err != nil {
			return err
		}
		slug := strings.TrimPrefix(problem.Type, "urn:assay:problem:")
		if !slices.Contains(problems, slug) {
			return fmt.Errorf("the document does not list the problem %s: add %q to the web.Refusals of the operation", problem.Type, slug)
		}
	}
	return nil
}

// validate checks a JSON text against the schema at a JSON pointer in the document.
func (c *Contract) validate(text []byte, at string) error {
	schema, err := c.schema(at)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func (c *Contract) schema(at string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.schemas[at]; known != nil {
		return known, nil
	}
	schema, err := c.compiler.Compile(documentURL + at)
	if err != nil {
		return nil, err
	}
	c.schemas[at] = schema
	return schema, nil
}

func isJSON(kind string) bool {
	return kind == "application/json" || strings.HasSuffix(kind, "+json")
}

// pointer returns a JSON pointer (RFC 6901) as a URL fragment.
func pointer(parts ...string) string {
	text := "#"
	for _, part := range parts {
		text += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(part)
	}
	return text
}

// readJSON returns the body of a JSON response, and restores it. It returns nil for other responses, without reading
// them.
func readJSON(resp *http.Response) ([]byte, error) {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || !isJSON(kind) {
		return nil, nil
	}
	body, err := io.ReadAll(resp.Body)
	rest := io.Reader(bytes.NewReader(body))
	if err != nil {
		rest = io.MultiReader(rest, iotest.ErrReader(err))
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{rest, resp.Body}
	return body, err
}
