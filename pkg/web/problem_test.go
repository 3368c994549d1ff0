package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/web"
)

type sendInput struct {
	Limit int    `query:"limit" minimum:"1" maximum:"100"`
	Site  string `query:"site" format:"uri"`
	Body  struct {
		Name string `json:"name" maxLength:"10"`
		Size int64  `json:"size" minimum:"0"`
	}
}

// sender returns a router with a typed operation, POST /send, and a plain handler, POST /plain, that
// both return the error fail.
func sender(log zerolog.Logger, fail error) *web.Router {
	router := web.NewRouter(web.Options{Log: log})
	op := operation(http.MethodPost, "/send")
	op.MaxBodyBytes = 200
	web.Register(router, op, func(context.Context, *sendInput) (*struct{}, error) { return nil, fail })
	plain := operation(http.MethodPost, "/plain")
	plain.MaxBodyBytes = 200
	router.Handle(plain, func(w http.ResponseWriter, r *http.Request) { web.WriteError(w, r, fail) })
	return router
}

func problemIn(t *testing.T, rec *httptest.ResponseRecorder) web.Problem {
	t.Helper()
	if got := rec.Header().Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("got content type %q, want application/problem+json", got)
	}
	var p web.Problem
	decoder := json.NewDecoder(rec.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		t.Fatal(err)
	}
	if p.Status != rec.Code || p.Title == "" || !strings.HasPrefix(p.Type, "urn:assay:problem:") {
		t.Errorf("got status %d, problem %+v, want this status, a title and a type", rec.Code, p)
	}
	return p
}

func TestRequestsThatViolateTheSchemaAreProblems(t *testing.T) {
	const secret = "hunter2hunter2"
	tests := []struct {
		name, query, body, contentType string
		status                         int
		slug                           string
		fields                         []string
	}{
		{"too long and too small", "", `{"name":"` + secret + `","size":-7}`, "", 422, "invalid-request", []string{"body.name", "body.size"}},
		{"missing and unexpected", "", `{"nme":"a"}`, "", 422, "invalid-request", []string{"body.name", "body.size", "body.nme"}},
		{"bad parameter", "?limit=" + secret, `{"name":"a","size":1}`, "", 422, "invalid-request", []string{"query.limit"}},
		{"bad format", "?site=%25zz" + secret, `{"name":"a","size":1}`, "", 422, "invalid-request", []string{"query.site"}},
		{"no body", "", "", "", 400, "bad-request", nil},
		{"not JSON", "", `{"name":"` + secret, "", 400, "bad-request", []string{"body"}},
		{"not UTF-8", "", "{\"name\":\"" + secret + "\xff\"}", "", 400, "bad-request", []string{"body"}},
		{"lone surrogate", "", `{"name":"\ud800","size":1}`, "", 422, "invalid-request", []string{"body.name"}},
		{"lone surrogate in a field name", "", `{"name":"a","size":1,"\udc00":1}`, "", 422, "invalid-request", []string{"body"}},
		{"out of range", "", `{"name":"a","size":1e300}`, "", 422, "invalid-request", []string{"body"}},
		{"other media type", "", secret, "text/" + secret, 415, "unsupported-media-type", nil},
		{"too large", "", `{"name":"` + strings.Repeat(secret, 50) + `"}`, "", 413, "body-too-large", nil},
	}
	router := sender(zerolog.Nop(), nil)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			contentType := test.contentType
			if contentType == "" {
				contentType = "application/json"
			}
			rec := ask(router, http.MethodPost, "/send"+test.query, test.body, "Content-Type", contentType, "X-Request-Id", "r/1")
			if strings.Contains(rec.Body.String(), secret) {
				t.Errorf("the response repeats the request: %s", rec.Body)
			}
			p := problemIn(t, rec)
			if p.Status != test.status || p.Type != "urn:assay:problem:"+test.slug || p.Detail == "" {
				t.Errorf("got %+v, want %d %s with a detail", p, test.status, test.slug)
			}
			if test.status == http.StatusRequestEntityTooLarge && p.Detail != "The body is larger than the limit of 200 bytes." {
				t.Errorf("got detail %q, want the limit of 200 bytes", p.Detail)
			}
			if p.Instance != "urn:assay:request:r%2F1" {
				t.Errorf("got instance %q, want urn:assay:request:r%%2F1", p.Instance)
			}
			if len(p.Errors) != len(test.fields) {
				t.Fatalf("got errors %+v, want one for each of %v", p.Errors, test.fields)
			}
			for i, field := range test.fields {
				if p.Errors[i].Field != field || p.Errors[i].Message == "" {
					t.Errorf("error %d: got %+v, want one for %s", i, p.Errors[i], field)
				}
			}
		})
	}
}

func TestProblemSizeIsBounded(t *testing.T) {
	type input struct {
		Body map[string]bool
	}
	router := web.NewRouter(web.Options{Log: zerolog.Nop()})
	web.Register(router, operation(http.MethodPost, "/many"), func(context.Context, *input) (*struct{}, error) { return nil, nil })
	var body strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&body, `,"%d%s":1`, i, strings.Repeat("é", 300))
	}
	rec := ask(router, http.MethodPost, "/many", "{"+body.String()[1:]+"}")
	size := rec.Body.Len()
	if p := problemIn(t, rec); len(p.Errors) != 32 || size > 32<<10 {
		t.Errorf("got %d errors in %d bytes, want 32 in at most 32 KiB", len(p.Errors), size)
	}
}

// backendError has the methods of the errors of the AWS SDK.
type backendError struct {
	timeout bool
	status  int
	code    string
}

func (e backendError) Error() string       { return "backend" }
func (e backendError) Timeout() bool       { return e.timeout }
func (e backendError) HTTPStatusCode() int { return e.status }
func (e backendError) ErrorCode() string   { return e.code }

func TestErrorsBecomeProblems(t *testing.T) {
	cause := errors.New("the engine's secret trouble")
	moved := web.NewProblem(http.StatusConflict, "already-final", "The file is COMPLETED.")
	tests := []struct {
		name   string
		err    error
		status int
		slug   string
		header [2]string
		logged bool
	}{
		{"a problem", moved, 409, "already-final", [2]string{}, false},
		{"a wrapped problem", fmt.Errorf("store: %w", moved), 409, "already-final", [2]string{}, false},
		{"not found", web.NotFound("no such file"), 404, "not-found", [2]string{}, false},
		{"invalid", web.Invalid(web.FieldError{Field: "body.size", Message: "m"}), 422, "invalid-request", [2]string{}, false},
		{"full", web.Unavailable("The stream is full.", 1500*time.Millisecond), 503, "unavailable", [2]string{"Retry-After", "2"}, false},
		{"full, with a cause", web.Unavailable("", 0).Because(cause), 503, "unavailable", [2]string{"Retry-After", "1"}, true},
		{"anything else", fmt.Errorf("put: %w", cause), 500, "internal", [2]string{}, true},
		{"a slow engine", fmt.Errorf("%w: %w", cause, context.DeadlineExceeded), 503, "unavailable", [2]string{"Retry-After", "1"}, true},
		{"a slow backend", fmt.Errorf("%w: %w", cause, backendError{timeout: true}), 503, "unavailable", [2]string{"Retry-After", "1"}, true},
		{"an unavailable backend", fmt.Errorf("%w: %w", cause, backendError{status: 503}), 503, "unavailable", [2]string{"Retry-After", "1"}, true},
		{"a failed backend", fmt.Errorf("%w: %w", cause, backendError{status: 500}), 500, "internal", [2]string{}, true},
		{"a backend with a full disk", fmt.Errorf("%w: %w", cause, backendError{status: 503, code: "StorageFull"}), 503, "storage-full", [2]string{"Retry-After", "10"}, true},
		{"a full disk", fmt.Errorf("%w: %w", cause, syscall.ENOSPC), 503, "storage-full", [2]string{"Retry-After", "10"}, true},
		{"a large body", &http.MaxBytesError{Limit: 7}, 413, "body-too-large", [2]string{"Connection", "close"}, false},
	}
	for _, test := range tests {
		for _, path := range []string{"/send", "/plain"} {
			t.Run(test.name+path, func(t *testing.T) {
				var log bytes.Buffer
				router := sender(zerolog.New(&log), test.err)
				rec := ask(router, http.MethodPost, path, `{"name":"a","size":1}`)
				if strings.Contains(rec.Body.String(), "secret") {
					t.Errorf("the response contains the cause: %s", rec.Body)
				}
				if name := test.header[0]; name != "" && rec.Header().Get(name) != test.header[1] {
					t.Errorf("%s: got %q, want %q", name, rec.Header().Get(name), test.header[1])
				}
				if p := problemIn(t, rec); p.Status != test.status || p.Type != "urn:assay:problem:"+test.slug {
					t.Errorf("got %+v, want %d %s", p, test.status, test.slug)
				}
				times := strings.Count(log.String(), "secret trouble")
				if want := map[bool]int{true: 1}[test.logged]; times != want {
					t.Errorf("the cause is logged %d times, want %d: %s", times, want, &log)
				}
			})
		}
	}
}

func TestSharedProblemIsNotModified(t *testing.T) {
	shared := web.NewProblem(http.StatusConflict, "busy", "")
	rec := ask(sender(zerolog.Nop(), shared), http.MethodPost, "/plain", "")
	if p := problemIn(t, rec); p.Instance == "" || shared.Instance != "" {
		t.Errorf("sent instance %q, shared instance %q; want only the first", p.Instance, shared.Instance)
	}
}

func TestDisconnectedClientIsNotAnError(t *testing.T) {
	for _, path := range []string{"/send", "/plain"} {
		var log bytes.Buffer
		router := sender(zerolog.New(&log), context.Canceled)
		r := httptest.NewRequest(http.MethodPost, "http://localhost"+path, strings.NewReader(`{"name":"a","size":1}`))
		ctx, leave := context.WithCancel(r.Context())
		leave()
		router.ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
		if lines := log.String(); strings.Count(lines, "\n") != 1 || !strings.Contains(lines, `"status":499`) || strings.Contains(lines, `"error"`) {
			t.Errorf("%s logged %s, want one access line with status 499", path, lines)
		}
	}
}

func TestUnknownAddressesAndMethodsAreProblems(t *testing.T) {
	router := sender(zerolog.Nop(), nil)
	if p := problemIn(t, ask(router, http.MethodGet, "/nothing", "")); p.Type != "urn:assay:problem:not-found" {
		t.Errorf("got %+v, want urn:assay:problem:not-found", p)
	}
	rec := ask(router, http.MethodDelete, "/send", "")
	if got := rec.Header().Get("Allow"); got != "POST" {
		t.Errorf("got Allow %q, want POST", got)
	}
	if p := problemIn(t, rec); p.Type != "urn:assay:problem:method-not-allowed" {
		t.Errorf("got %+v, want urn:assay:problem:method-not-allowed", p)
	}
	if rec := ask(router, http.MethodGet, "//healthz", ""); rec.Code != http.StatusTemporaryRedirect || rec.Header().Get("Location") != "/healthz" {
		t.Errorf("an unclean path: got %d to %q, want 307 to /healthz", rec.Code, rec.Header().Get("Location"))
	}
}

func TestProblemIsAnError(t *testing.T) {
	cause := errors.New("cause")
	p := web.Internal(cause)
	if !errors.Is(p, cause) || !strings.HasSuffix(p.Error(), ": cause") {
		t.Errorf("got %v, want an error that wraps and names its cause", p)
	}
}
