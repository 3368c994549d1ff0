// Package newsapitest provides a test server that follows the documentation of newsapi.org:
// https://newsapi.org/docs/endpoints/everything
package newsapitest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/services/ingest/feed/source/newsapi"
)

// Key is the key that the server accepts.
const Key = "0123456789abcdef0123456789abcdef"

// PlanResults is the maximum number of articles that the plan returns for a search.
const PlanResults = 300

// Server serves articles and records requests.
type Server struct {
	URL string // URL of /v2/everything

	mu       sync.Mutex
	articles []newsapi.Article
	answer   http.HandlerFunc
	asked    []url.Values
	busy     int
	busiest  int
}

// Start starts a server that stops at the end of the test.
func Start(t *testing.T) *Server {
	t.Helper()
	s := &Server{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v2/everything", s.everything)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL + "/v2/everything"
	return s
}

// Publish adds articles.
func (s *Server) Publish(articles ...newsapi.Article) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.articles = append(s.articles, articles...)
}

// Answer replaces the responses of the server with those of a handler; nil restores them.
func (s *Server) Answer(handler http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = handler
}

// Asked returns the parameters of all requests.
func (s *Server) Asked() []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Busiest returns the maximum number of concurrent requests.
func (s *Server) Busiest() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busiest
}

func (s *Server) everything(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.Query())
	s.busy++
	s.busiest = max(s.busiest, s.busy)
	answer, articles := s.answer, slices.Clone(s.articles)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.busy--
	}()
	if answer == nil {
		answer = search(articles)
	}
	answer(w, r)
}

// Fail responds with an error in the form of the API.
func Fail(w http.ResponseWriter, status int, code, message string) {
	write(w, status, map[string]string{"status": "error", "code": code, "message": message})
}

func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only if the client has disconnected
}

func search(articles []newsapi.Article) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		switch key := r.Header.Get("X-Api-Key"); {
		case key == "":
			Fail(w, http.StatusUnauthorized, "apiKeyMissing", "Your API key is missing.")
			return
		case key != Key:
			Fail(w, http.StatusUnauthorized, "apiKeyInvalid", "Your API key is invalid or incorrect.")
			return
		case query.Get("q") == "":
			Fail(w, http.StatusBadRequest, "parametersMissing", "Required parameters are missing.")
			return
		}
		from, err := time.Parse("2006-01-02T15:04:05", query.Get("from"))
		page, badPage := strconv.Atoi(query.Get("page"))
		size, badSize := strconv.Atoi(query.Get("pageSize"))
		if err != nil || badPage != nil || badSize != nil || page < 1 || size < 1 || size > 100 || query.Get("sortBy") != "publishedAt" {
			Fail(w, http.StatusBadRequest, "parameterInvalid", "A parameter is invalid.")
			return
		}
		if page > 1 && page*size > PlanResults {
			Fail(w, http.StatusUpgradeRequired, "maximumResultsReached", "You have requested too many results.")
			return
		}
		phrase := strings.ToLower(strings.Trim(query.Get("q"), `"`))
		articles = slices.DeleteFunc(articles, func(a newsapi.Article) bool {
			return a.PublishedAt.Before(from) || !strings.Contains(strings.ToLower(a.Title+" "+a.Description), phrase)
		})
		slices.SortStableFunc(articles, func(a, b newsapi.Article) int { return b.PublishedAt.Compare(a.PublishedAt) })
		first := min((page-1)*size, len(articles))
		shown := []map[string]any{}
		for _, a := range articles[first:min(first+size, len(articles))] {
			shown = append(shown, map[string]any{
				"source": map[string]any{"id": nil, "name": a.Source.Name}, "author": a.Author, "title": a.Title,
				"description": a.Description, "url": a.URL, "urlToImage": nil, "publishedAt": a.PublishedAt.UTC().Format(time.RFC3339), "content": nil,
			})
		}
		write(w, http.StatusOK, map[string]any{"status": "ok", "totalResults": len(articles), "articles": shown})
	}
}
