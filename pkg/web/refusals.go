package web

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
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

// describe completes the description of a registered operation: the problems that it can return, and the headers
// of all responses. creates reports whether the operation can return a new owner id.
func (r *Router) describe(op *huma.Operation, creates bool, refusals []Refusals) {
	delete(op.Responses, "default") // huma adds one without headers
	if op.Extensions == nil {       // created here, because requests read op while complete adds to the map
		op.Extensions = map[string]any{}
	}
	names := everyHeader
	if !public(op) {
		names = append(slices.Clip(names), "Set-Cookie")
	}
	if creates {
		names = append(slices.Clip(names), OwnerHeader)
	}
	for _, response := range op.Responses {
		response.Headers = withHeaders(response.Headers, names...)
	}
	all := common(op)
	for status, slugs := range all {
		op.Responses[strconv.Itoa(status)] = r.shared(status, slugs)
	}
	for _, more := range refusals {
		for status, slugs := range more {
			all[status] = slices.Compact(slices.Sorted(slices.Values(slices.Concat(all[status], slugs))))
			op.Responses[strconv.Itoa(status)] = r.refusal(status, all[status])
		}
	}
	op.Responses["default"] = r.shared(0, nil)
	r.metrics.expect(op)
}

// shared returns a reference to the response with the problems that operations have in common. The status 0 stands
// for all statuses that are not listed.
func (r *Router) shared(status int, slugs []string) *huma.Response {
	name := "Error"
	if status != 0 {
		name = strings.ReplaceAll(http.StatusText(status), " ", "")
	}
	components := r.API.OpenAPI().Components
	if components.Responses == nil {
		components.Responses = map[string]*huma.Response{}
	}
	if components.Responses[name] == nil {
		components.Responses[name] = r.refusal(status, slugs)
	}
	return &huma.Response{Ref: "#/components/responses/" + name}
}

// refusal describes a response with one of the given problems.
func (r *Router) refusal(status int, slugs []string) *huma.Response {
	schema := r.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Problem](), true, "")
	problem := &huma.MediaType{Schema: schema, Examples: map[string]*huma.Example{}}
	for _, slug := range slugs {
		example := statusProblem(status)
		if example.Type != typePrefix+slug {
			example = NewProblem(status, slug, "")
		}
		problem.Examples[slug] = &huma.Example{Value: example}
	}
	response := &huma.Response{
		Description: "Another problem", Content: map[string]*huma.MediaType{"application/problem+json": problem},
		Headers: withHeaders(nil, append([]string{OwnerHeader, "Set-Cookie"}, everyHeader...)...),
	}
	if status != 0 {
		response.Description = http.StatusText(status) + ": " + strings.Join(slugs, ", ")
	}
	switch status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		response.Headers = withHeaders(response.Headers, "Retry-After")
	case http.StatusUnauthorized, http.StatusForbidden:
		response.Headers = withHeaders(response.Headers, "WWW-Authenticate")
	case http.StatusUnsupportedMediaType:
		response.Headers = withHeaders(response.Headers, "Accept-Encoding")
	}
	return response
}

// everyHeader names the headers of every response.
var everyHeader = []string{"X-Request-Id", "Traceparent", "Tracestate", "RateLimit", "RateLimit-Policy"}

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
