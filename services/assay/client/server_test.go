package client_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
)

// seen is a request as received by the server.
type seen struct {
	method, path, query, body string
	header                    http.Header
}

// script is a server that sends one of its responses to each request, in order.
type script struct {
	*httptest.Server
	mu      sync.Mutex
	answers []http.HandlerFunc
	got     []seen
}

// serve starts a server with the given responses. The test fails if the number of requests differs.
func serve(t *testing.T, answers ...http.HandlerFunc) (*script, *client.Client) {
	t.Helper()
	s := &script{answers: answers}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read %s %s: %v", r.Method, r.URL, err)
		}
		s.mu.Lock()
		if len(s.answers) == 0 {
			s.mu.Unlock()
			t.Errorf("unexpected %s %s", r.Method, r.URL)
			http.Error(w, "unexpected", http.StatusTeapot)
			return
		}
		answer := s.answers[0]
		s.answers = s.answers[1:]
		s.got = append(s.got, seen{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(body), r.Header})
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(func() {
		s.Close()
		if len(s.answers) > 0 {
			t.Errorf("%d responses were not requested, want 0", len(s.answers))
		}
	})
	c, err := client.New(client.Config{Server: s.URL, OwnerID: "owner-1"})
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// requests returns the requests received so far.
func (s *script) requests() []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got
}

func answer(status int, body any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		if body != nil {
			_ = json.NewEncoder(w).Encode(body) // the test detects a disconnected client
		}
	}
}

func problem(status int, header map[string]string, body any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
}

// hangUp closes the connection without a response.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
