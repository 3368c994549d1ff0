package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// queryNames returns the names of the query parameters of each operation, by its pattern.
func (r *Router) queryNames() map[string][]string {
	names := map[string][]string{}
	for pattern, op := range Operations(r.API.OpenAPI()) {
		known := []string{}
		for _, parameter := range op.Parameters {
			if parameter.In == "query" {
				known = append(known, parameter.Name)
			}
		}
		names[pattern] = known
	}
	return names
}

// checkQuery returns the problem for query parameters that are unknown to the request's operation.
// Otherwise a client could not detect that a filter was ignored.
func (r *Router) checkQuery(req *http.Request) error {
	known, described := r.queries()[req.Pattern]
	if !described || r.forwards || req.URL.RawQuery == "" {
		return nil
	}
	given, err := url.ParseQuery(req.URL.RawQuery)
	if err != nil {
		return Invalid(FieldError{Field: "query", Message: "is malformed"})
	}
	var wrong []FieldError
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(known, name) {
			continue
		}
		message := "is not a parameter of this operation, which has none"
		if len(known) > 0 {
			message = "is not a parameter of this operation, which has " + strings.Join(known, ", ")
		}
		if wrong = append(wrong, FieldError{Field: "query." + name[:min(len(name), maxFieldName)], Message: message}); len(wrong) == maxFieldErrors {
			break
		}
	}
	if len(wrong) > 0 {
		return Invalid(wrong...)
	}
	return nil
}

// setPathValues sets the values of the path of a request from its pattern, as the mux does before it calls the handler.
func setPathValues(req *http.Request) {
	_, pattern, _ := strings.Cut(req.Pattern, " ")
	given := strings.Split(req.URL.EscapedPath(), "/")
	for i, segment := range strings.Split(pattern, "/") {
		name, variable := strings.CutPrefix(segment, "{")
		if !variable || i >= len(given) {
			continue
		}
		if value, err := url.PathUnescape(given[i]); err == nil {
			req.SetPathValue(strings.TrimSuffix(name, "}"), value)
		}
	}
}
