package web

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Refusals lists the problems of an operation by status: the last part of each type, such as not-found. The API
// description adds the problems that every operation of its kind can return; see common.
type Refusals map[int][]string

// forbidden are the reasons for which any address rejects a request before its handler runs.
var forbidden = []string{"cross-origin", "role-required", "scope-required"}

// common returns the problems of every operation of the kind of op.
func common(op *huma.Operation) Refusals {
	all := Refusals{
		http.StatusMisdirectedRequest:  {"misdirected-request"},
		http.StatusUnprocessableEntity: {"invalid-request"},
		http.StatusTooManyRequests:     {"too-many-requests"},
		http.StatusInternalServerError: {"internal"},
		http.StatusBadGateway:          {"bad-gateway"},
		http.StatusServiceUnavailable:  {"storage-full", "unavailable"},
	}
	if strings.Contains(op.Path, "{") {
		all[http.StatusNotFound] = []string{"not-found"}
	}
	if !public(op) {
		all[http.StatusUnauthorized] = []string{"unauthenticated"}
		all[http.StatusForbidden] = forbidden
	}
	if op.Method != http.MethodGet {
		all[http.StatusForbidden] = forbidden
		all[http.StatusUnsupportedMediaType] = []string{"unsupported-content-encoding", "unsupported-media-type"}
	}
	if op.RequestBody != nil {
		all[http.StatusBadRequest] = []string{"bad-request"}
		all[http.StatusRequestTimeout] = []string{"request-timeout"}
		all[http.StatusRequestEntityTooLarge] = []string{"body-too-large"}
	}
	return all
}

// public reports whether an operation ignores credentials.
func public(op *huma.Operation) bool { return len(op.Security) == 1 && len(op.Security[0]) == 0 }

// problemsExtension is the member of an operation that lists its problems. A response for each status would multiply the
// code that generators make: the responses differ in nothing but the types of their problems.
const problemsExtension = "x-problems"

// Problems returns the problems that an operation can return, by status, from its description.
func Problems(op *huma.Operation) Refusals {
	all, _ := op.Extensions[problemsExtension].(Refusals)
	return all
}

// describe completes the description of a registered operation: the problems that it can return. creates reports whether
// the operation can return a new owner id.
func (r *Router) describe(op *huma.Operation, creates bool, refusals []Refusals) {
	// Set here, because requests read op while complete adds to the document.
	if op.Extensions == nil {
		op.Extensions = map[string]any{}
	}
	if op.Description == "" {
		op.Description = op.Summary + "."
	}
	if creates {
		for _, response := range op.Responses {
			response.Headers = withHeaders(response.Headers, OwnerHeader)
		}
	}
	all := common(op)
	for _, more := range refusals {
		for status, slugs := range more {
			all[status] = slices.Compact(slices.Sorted(slices.Values(slices.Concat(all[status], slugs))))
		}
	}
	op.Extensions[problemsExtension] = all
	op.Responses["default"] = r.refusal()
	r.metrics.expect(op)
}

// refusal returns a reference to the response that all operations have in common.
func (r *Router) refusal() *huma.Response {
	const name = "Error" // generators name types after responses, and the schema is Problem
	components := r.API.OpenAPI().Components
	if components.Responses == nil {
		problem := statusProblem(http.StatusNotFound)
		components.Responses = map[string]*huma.Response{name: {
			Description: "The request was refused or has failed. `x-problems` of the operation lists the problems that it can return, by status.",
			Content: map[string]*huma.MediaType{"application/problem+json": {
				Schema:   components.Schemas.Schema(reflect.TypeFor[Problem](), true, ""),
				Examples: map[string]*huma.Example{"not-found": {Value: problem}},
			}},
		}}
	}
	return &huma.Response{Ref: "#/components/responses/" + name}
}

// headersExtension is the member of the document that names the headers of all responses, and those that responses with
// problems can have. Their descriptions are components.
const headersExtension = "x-response-headers"

// responseHeaders are the names in the document.
type responseHeaders struct {
	Every   []string `json:"every"`
	Problem []string `json:"problem"`
}

func namesOfHeaders() responseHeaders {
	return responseHeaders{
		Every:   []string{"X-Request-Id", "Traceparent", "Tracestate", "RateLimit", "RateLimit-Policy", "Set-Cookie", "Vary", "Content-Encoding"},
		Problem: []string{"Retry-After", "WWW-Authenticate", "Accept-Encoding", OwnerHeader},
	}
}

// sharedHeaders describes the response headers that operations have in common.
func sharedHeaders() map[string]*huma.Param {
	text := func(required bool, pattern, description, example string) *huma.Param {
		return &huma.Param{Description: description, Required: required, Schema: &huma.Schema{Type: huma.TypeString, Pattern: pattern}, Example: example}
	}
	one := 1.0
	return map[string]*huma.Param{
		"X-Request-Id":     text(true, "", "the id of the request, as sent or newly generated", "0192f7c0-7a3c-7cc1-b111-53f1c30f1c44"),
		"Traceparent":      text(true, "^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$", "the W3C trace context of the request", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
		"Tracestate":       text(false, "", "the trace state of the request, if any", "vendor=value"),
		"WWW-Authenticate": text(false, "", "the required kind of credential", `Bearer realm="assay"`),
		"Accept-Encoding":  text(false, "", "the content encodings that request bodies may have", "identity"),
		"Vary":             text(false, "", "Accept-Encoding in JSON of 1 KiB and more, which is compressed for clients that accept it", "Accept-Encoding"),
		"Content-Encoding": text(false, "", "gzip if the content is compressed", "gzip"),
		"RateLimit":        text(false, "", "the remaining quota of requests per second, or of the quota named in the problem, if the owner has one", `"requests";r=99;t=1`),
		"RateLimit-Policy": text(false, "", "the quota to which RateLimit refers", `"requests";q=100;w=1`),
		"Set-Cookie":       text(false, "", "the renewed session of the web app, in responses to requests that have one", "assay_session=...; Path=/; HttpOnly; SameSite=Strict"),
		OwnerHeader:        text(false, ownerPattern, "the owner of the created item, as sent or newly generated", "0192f7c0-7a3c-7cc1-b111-53f1c30f1c44"),
		"Retry-After": {
			Description: "seconds after which to retry; absent if waiting does not help, as for a quota of stored bytes", Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: &one}, Example: 5,
		},
	}
}

// withHeaders adds references to shared headers.
func withHeaders(headers map[string]*huma.Param, names ...string) map[string]*huma.Param {
	all := map[string]*huma.Param{}
	maps.Copy(all, headers)
	for _, name := range names {
		all[name] = &huma.Param{Ref: "#/components/headers/" + name}
	}
	return all
}
