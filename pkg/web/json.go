package web

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
)

// IsJSON tells whether the body of a plain handler's request is JSON, by the rule of typed operations:
// one of no media type is, and so is every media type that ends in +json.
func IsJSON(r *http.Request) bool {
	sent := r.Header.Get("Content-Type")
	kind, _, err := mime.ParseMediaType(sent)
	return sent == "" || err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

// WriteJSON answers a plain handler's request with a JSON body. body must be
// encodable.
func WriteJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A write fails only when the client is gone.
	_ = encode(w, body)
}

// encode writes JSON as all answers have it: < and & as they are.
func encode(w io.Writer, body any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(body)
}
