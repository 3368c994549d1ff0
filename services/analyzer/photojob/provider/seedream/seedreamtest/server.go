// Package seedreamtest provides a test server that follows the documentation of the image
// generation API of ModelArk: https://docs.byteplus.com/en/docs/ModelArk/1541523. It rejects what
// the API rejects, and counts what it bills.
package seedreamtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
)

// The key that the server accepts by default, and the model that it serves.
const (
	Key   = "seedreamtest-key"
	Model = "seedream-4-5-251128"
)

// Width and Height are the size of the picture in responses, in pixels.
const Width, Height = 200, 150

// Server responds according to its Script.
type Server struct {
	providertest.Script
	URL string // base URL of the API

	mu       sync.Mutex
	keys     []string
	requests [][]byte
	ids      []string
}

// Start starts a server that stops at the end of the test.
func Start(t *testing.T) *Server {
	t.Helper()
	s := &Server{keys: []string{Key}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v3/images/generations", s.generate)
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	s.URL = server.URL + "/api/v3"
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

// IDs returns the client-set ids of all valid requests.
func (s *Server) IDs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ids)
}

// Error returns the body of an error response.
func Error(code, message string) string {
	return fmt.Sprintf(`{"error":{"code":%q,"message":%q,"param":"","type":"BadRequest"}}`, code, message)
}

func fail(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(Error(code, message))) // fails if the client has disconnected
}

func (s *Server) generate(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Request-Id", "seedreamtest-1")
	s.mu.Lock()
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	ok = ok && slices.Contains(s.keys, key)
	s.mu.Unlock()
	if !ok {
		fail(w, http.StatusUnauthorized, "AuthenticationError", "The API key doesn't exist.")
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err == nil {
		err = check(r, body)
	}
	if err != nil {
		fail(w, http.StatusBadRequest, "InvalidParameter", err.Error())
		return
	}
	var asked struct{ Model string }
	if err := json.Unmarshal(body, &asked); err != nil || asked.Model != Model {
		fail(w, http.StatusNotFound, "InvalidEndpointOrModel.NotFound", "The model or endpoint does not exist.")
		return
	}
	s.mu.Lock()
	s.requests, s.ids = append(s.requests, body), append(s.ids, r.Header.Get("X-Client-Request-Id"))
	s.mu.Unlock()
	s.Reply(w, r, providertest.Bill{Model: asked.Model, Request: body}, Picture(picture()))
}

// Picture returns a response with a picture.
func Picture(data []byte) []byte {
	return fmt.Appendf(nil, `{"model":%q,"created":1760000000,"data":[{"b64_json":%q,"size":"%dx%d"}],"usage":{"generated_images":1,"output_tokens":117,"total_tokens":117}}`,
		Model, base64.StdEncoding.EncodeToString(data), Width, Height)
}

// Refused returns a response with status 200 without a picture.
func Refused(code string) []byte {
	return fmt.Appendf(nil, `{"model":%q,"created":1760000000,"data":[{"error":{"code":%q,"message":"not made"}}],"usage":{"generated_images":0}}`, Model, code)
}

// ByURL returns a response with the URL of a picture.
func ByURL(at string) []byte {
	return fmt.Appendf(nil, `{"model":%q,"created":1760000000,"data":[{"url":%q,"size":"2048x2048"}],"usage":{"generated_images":1}}`, Model, at)
}

func picture() []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, scene.New(Width, Height, 5)); err != nil {
		panic(err) // writes to a buffer do not fail
	}
	return out.Bytes()
}

// request contains all accepted fields.
type request struct {
	Model          string `json:"model"`
	Prompt         string `json:"prompt"`
	Image          string `json:"image"`
	ResponseFormat string `json:"response_format"`
	Seed           *int64 `json:"seed"`
	Size           string `json:"size"`
	Watermark      *bool  `json:"watermark"`
	Sequential     string `json:"sequential_image_generation"`
}

var (
	size    = regexp.MustCompile(`^([0-9]{2,5})x([0-9]{2,5})$`)
	dataURL = regexp.MustCompile(`^data:(image/(?:jpeg|png));base64,(.*)$`)
)

// check rejects requests that the API rejects, and requests that are obviously wrong.
func check(r *http.Request, body []byte) error {
	var in request
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil {
		return err
	}
	switch {
	case r.Header.Get("Content-Type") != "application/json":
		return fmt.Errorf("unexpected content type %q", r.Header.Get("Content-Type"))
	case r.Header.Get("X-Client-Request-Id") == "":
		return errors.New("no X-Client-Request-Id")
	case in.Model == "" || strings.TrimSpace(in.Prompt) == "":
		return errors.New("the parameters model and prompt are required")
	case len(strings.Fields(in.Prompt)) > 600:
		return errors.New("the prompt is longer than 600 words")
	case in.Watermark == nil || *in.Watermark:
		return errors.New("the parameter watermark must be false")
	case in.ResponseFormat != "b64_json" || in.Sequential != "disabled":
		return errors.New("the parameters request more than one picture, or a URL")
	}
	match := dataURL.FindStringSubmatch(in.Image)
	if match == nil {
		return fmt.Errorf("the parameter image is not valid: %.40q", in.Image)
	}
	data, err := base64.StdEncoding.DecodeString(match[2])
	if err != nil {
		return fmt.Errorf("the parameter image is not valid: %w", err)
	}
	info, err := pixels.Inspect(data, pixels.Limits{Bytes: 10_000_000, Pixels: 36_000_000, Shortest: 15})
	if err != nil || info.Format.MediaType() != match[1] {
		return fmt.Errorf("the parameter image is not valid: %s, %w", info.Format, err)
	}
	var w, h int
	if in.Size != "2K" {
		if !size.MatchString(in.Size) {
			return fmt.Errorf("the parameter size is not valid: %q", in.Size)
		}
		if _, err := fmt.Sscanf(in.Size, "%dx%d", &w, &h); err != nil || w*h < 921_600 || w*h > 16_777_216 || w > 16*h || h > 16*w {
			return fmt.Errorf("the parameter size is not valid: %q", in.Size)
		}
	}
	return nil
}
