package web

import (
	"encoding/json"
	"net/http"
)

// WriteJSON answers a plain handler's request with a JSON body. body must be
// encodable.
func WriteJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	// A write fails only when the client is gone.
	_ = encoder.Encode(body)
}
