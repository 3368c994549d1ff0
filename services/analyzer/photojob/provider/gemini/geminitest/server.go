// Package geminitest provides a test server that follows the documentation of the Gemini API:
// https://ai.google.dev/api/generate-content. It rejects what the API rejects, and counts what it
// bills.
package geminitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels/scene"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
)

// The key that the server accepts by default, and the models that it serves.
const (
	Key          = "geminitest-key"
	AnalyzeModel = "gemini-3.5-flash"
	EditModel    = "gemini-3.1-flash-image"
)

// Width and Height are the size of the picture in responses, in pixels.
const Width, Height = 160, 120

// Server responds according to its Script.
type Server struct {
	providertest.Script
	URL string // URL without the API version

	mu       sync.Mutex
	keys     []string
	requests [][]byte
}

// Start starts a server that stops at the end of the test.
func Start(t *testing.T) *Server {
	t.Helper()
	s := &Server{keys: []string{Key}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1beta/models/{model}", s.model)
	mux.HandleFunc("POST /v1beta/models/{call}", s.generate)
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	s.URL = server.URL
	return s
}

// Accept replaces the accepted keys.
func (s *Server) Accept(keys ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = keys
}

// Requests returns the bodies of all valid requests.
func (s *Server) Requests() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Error returns the body of an error response, with details as JSON objects.
func Error(code int, status, message string, details ...string) string {
	return fmt.Sprintf(`{"error":{"code":%d,"message":%q,"status":%q,"details":[%s]}}`, code, message, status, strings.Join(details, ","))
}

// RetryInfo returns an error detail that requests a delay such as 55s.
func RetryInfo(delay string) string {
	return fmt.Sprintf(`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":%q}`, delay)
}

// PerDay is the error detail for an exhausted daily quota.
const PerDay = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"generativelanguage.googleapis.com/generate_content_requests","quotaId":"GenerateRequestsPerDayPerProjectPerModel"}]}`

// TooMany returns a response with status 429 and details.
func TooMany(details ...string) providertest.Reply {
	return providertest.TooMany("", Error(http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", details...))
}

func fail(w http.ResponseWriter, code int, status, message string, details ...string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(Error(code, status, message, details...))) // fails if the client has disconnected
}

// allowed reports whether the key is accepted. If not, it responds with an error.
func (s *Server) allowed(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := r.Header.Get("X-Goog-Api-Key")
	if !slices.Contains(s.keys, key) {
		fail(w, http.StatusBadRequest, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.",
			`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}`)
		return false
	}
	return true
}

func known(w http.ResponseWriter, model string) bool {
	if model == AnalyzeModel || model == EditModel {
		return true
	}
	fail(w, http.StatusNotFound, "NOT_FOUND", "models/"+model+" is not found for API version v1beta.")
	return false
}

func (s *Server) model(w http.ResponseWriter, r *http.Request) {
	if model := r.PathValue("model"); s.allowed(w, r) && known(w, model) {
		_, _ = fmt.Fprintf(w, `{"name":"models/%s"}`, model)
	}
}

func (s *Server) generate(w http.ResponseWriter, r *http.Request) {
	model, verb, _ := strings.Cut(r.PathValue("call"), ":")
	if !s.allowed(w, r) || !known(w, model) {
		return
	}
	body, err := read(r)
	if verb != "generateContent" {
		err = fmt.Errorf("unknown method %q", verb)
	}
	if err == nil {
		err = check(body, model == EditModel)
	}
	if err != nil {
		fail(w, http.StatusBadRequest, "INVALID_ARGUMENT", err.Error())
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, body)
	s.mu.Unlock()
	answer := described()
	if model == EditModel {
		answer = Picture(picture(), "image/png")
	}
	s.Reply(w, r, providertest.Bill{Model: model, Request: body}, answer)
}

// Analysis is the description of every photo.
const Analysis = `{"description":"A hill above the sea.","labels":[{"name":"hill","confidence":0.98},{"name":"sea","confidence":0.91}],"safeSearch":{"adult":"VERY_UNLIKELY","violence":"VERY_UNLIKELY"}}`

func described() []byte { return Candidate("STOP", map[string]any{"text": Analysis}) }

// Picture returns a response with a picture.
func Picture(data []byte, mediaType string) []byte {
	return Candidate("STOP", map[string]any{"text": "Here it is."}, map[string]any{"inlineData": map[string]any{"mimeType": mediaType, "data": data}})
}

// Candidate returns a response with one candidate.
func Candidate(finishReason string, parts ...map[string]any) []byte {
	answer, err := json.Marshal(map[string]any{
		"candidates": []any{map[string]any{
			"content": map[string]any{"parts": parts, "role": "model"}, "finishReason": finishReason, "index": 0,
			"safetyRatings": []any{map[string]any{"category": "HARM_CATEGORY_SEXUALLY_EXPLICIT", "probability": "NEGLIGIBLE"}},
		}},
		"usageMetadata": map[string]any{"promptTokenCount": 270, "candidatesTokenCount": 1290, "totalTokenCount": 1560},
		"modelVersion":  "test", "responseId": "geminitest-1",
	})
	if err != nil {
		panic(err) // maps and strings can always be encoded
	}
	return answer
}

// picture returns the PNG in every response.
func picture() []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, scene.New(Width, Height, 3)); err != nil {
		panic(err) // writes to a buffer do not fail
	}
	return out.Bytes()
}
