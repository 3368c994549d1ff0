package web

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
)

// IsJSON reports whether the body of a plain handler's request is JSON, by the rule for typed
// operations: a missing media type counts as JSON, as does every media type that ends in +json.
func IsJSON(r *http.Request) bool {
	sent := r.Header.Get("Content-Type")
	kind, _, err := mime.ParseMediaType(sent)
	return sent == "" || err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

// WriteJSON writes a JSON response for a plain handler. body must be encodable.
func WriteJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A write fails only if the client has disconnected.
	_ = encode(w, body)
}

// encode writes JSON in the form of all responses: < and & are not escaped.
func encode(w io.Writer, body any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(body)
}

// Views returns the view of each item, in order. The result is never nil, so that JSON has an empty array instead
// of null.
func Views[T, V any](items []T, view func(T) V) []V {
	views := make([]V, len(items))
	for i, item := range items {
		views[i] = view(item)
	}
	return views
}
