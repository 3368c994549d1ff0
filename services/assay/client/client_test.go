package client_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/assay/client"
)

func TestNewRejectsInvalidURL(t *testing.T) {
	for _, server := range []string{"", "127.0.0.1:8080", "ftp://x", "http://"} {
		if _, err := client.New(client.Config{Server: server}); err == nil {
			t.Errorf("New with the server %q succeeded, want an error", server)
		}
	}
}

func TestProblemText(t *testing.T) {
	tests := []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"detail", problem(404, nil, client.Problem{Title: "Not Found", Detail: "there is no file 7"}), "there is no file 7"},
		{"title", problem(403, nil, client.Problem{Title: "Forbidden"}), "Forbidden"},
		{"fields", problem(422, nil, client.Problem{Title: "Invalid request", Detail: "see errors", Errors: []client.FieldProblem{
			{Field: "body.size", Message: "is above 5 GiB"}, {Field: "body.fileName", Message: "is missing"},
		}}), "Invalid request: size is above 5 GiB; fileName is missing"},
		{"server error", problem(500, map[string]string{"X-Request-Id": "r-1"}, client.Problem{Detail: "it broke"}), "it broke (request r-1)"},
		{"HTML", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", 404) }, "the server responded with 404 Not Found"},
		{"JSON without an object", problem(404, nil, "text"), "the server responded with 404 Not Found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, c := serve(t, tt.answer)
			_, err := c.Get(t.Context(), "7", 0)
			found, ok := errors.AsType[*client.Problem](err)
			if !ok || found.Error() != tt.want {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestGetRetriesWithOneRequestID(t *testing.T) {
	s, c := serve(t,
		problem(503, map[string]string{"Retry-After": "0"}, client.Problem{}),
		hangUp,
		answer(200, client.File{FileID: "a/b", Status: client.Pending}))
	file, err := c.Get(t.Context(), "a/b", 30*time.Second)
	if err != nil || file.FileID != "a/b" {
		t.Fatalf("Get = %+v, %v, want the file a/b", file, err)
	}
	ids := map[string]bool{}
	for _, r := range s.requests() {
		ids[r.header.Get("X-Request-Id")] = true
		if r.path != "/v1/files/a%2Fb" || r.query != "wait=30s" || r.header.Get("X-Owner-Id") != "owner-1" {
			t.Errorf("sent %+v, want /v1/files/a%%2Fb?wait=30s as owner-1", r)
		}
	}
	if len(ids) != 1 || ids[""] {
		t.Errorf("got the request ids %v, want one", ids)
	}
}

func TestWaitPollsUntilFinal(t *testing.T) {
	_, c := serve(t,
		answer(200, client.File{Status: client.Pending}),
		answer(200, client.File{Status: client.InProgress}),
		answer(200, client.File{Status: client.Failed, ErrorMessage: "a PDF"}))
	if file, err := c.Wait(t.Context(), "1"); err != nil || file.ErrorMessage != "a PDF" {
		t.Fatalf("Wait = %+v, %v, want the failed file", file, err)
	}
}

func TestRetryIsNotRepeatedAfterBrokenConnection(t *testing.T) {
	_, c := serve(t, hangUp)
	_, err := c.Retry(t.Context(), "1")
	if lost, ok := errors.AsType[*client.Unreachable](err); !ok || lost.NoServer() {
		t.Fatalf("got %v, want a broken connection", err)
	}
}

func TestMissingServerIsReportedImmediately(t *testing.T) {
	const server = "http://127.0.0.1:1" // port 1 is reserved and never assigned by a system
	c, err := client.New(client.Config{Server: server})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Get(t.Context(), "1", 0)
	lost, ok := errors.AsType[*client.Unreachable](err)
	if !ok || !lost.NoServer() || !strings.Contains(err.Error(), "no Assay server responds at "+server) {
		t.Fatalf("got %v, want an error that names the server", err)
	}
}

func TestCancelDuringPause(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		problem(503, map[string]string{"Retry-After": "30"}, client.Problem{})(w, r)
		cancel()
	})
	if _, err := c.Get(ctx, "1", 0); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
}

func TestDelete(t *testing.T) {
	s, c := serve(t, answer(204, nil))
	if err := c.Delete(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	if got := s.requests()[0]; got.method != http.MethodDelete || got.path != "/v1/files/1" {
		t.Errorf("sent %+v, want DELETE /v1/files/1", got)
	}
}

func TestListReadsAllPages(t *testing.T) {
	s, c := serve(t,
		answer(200, client.Page{Files: []client.File{{FileID: "3"}, {FileID: "2"}}, NextCursor: "c 1"}),
		answer(200, client.Page{NextCursor: "c2"}),
		answer(200, client.Page{Files: []client.File{{FileID: "1"}}}))
	ids := ""
	for file, err := range c.List(t.Context(), client.Listing{Status: client.Failed, Limit: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		ids += file.FileID
	}
	if ids != "321" {
		t.Errorf("listed %s, want 321", ids)
	}
	want := []string{"limit=2&status=FAILED", "cursor=c+1&limit=2&status=FAILED", "cursor=c2&limit=2&status=FAILED"}
	for i, r := range s.requests() {
		if r.path != "/v1/owners/owner-1/files" || r.query != want[i] {
			t.Errorf("page %d: requested %s?%s, want the query %s of the owner's files", i, r.path, r.query, want[i])
		}
	}
}

func TestListStopsAtError(t *testing.T) {
	_, c := serve(t, answer(200, client.Page{Files: []client.File{{FileID: "1"}}, NextCursor: "c"}),
		problem(400, nil, client.Problem{Detail: "the cursor belongs to another list"}))
	files, failures := 0, 0
	for _, err := range c.List(t.Context(), client.Listing{}) {
		if err != nil {
			failures++
		} else {
			files++
		}
	}
	if files != 1 || failures != 1 {
		t.Errorf("got %d files and %d errors, want 1 and 1", files, failures)
	}
}

func isV7(t *testing.T, text string) {
	t.Helper()
	if id, err := uuid.Parse(text); err != nil || id.Version() != 7 {
		t.Errorf("got the id %q, %v, want a UUIDv7", text, err)
	}
}
