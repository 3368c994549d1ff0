package web_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/web"
)

// TestDocumentIsCompressed: clients that accept gzip get the document compressed.
func TestDocumentIsCompressed(t *testing.T) {
	router := web.NewRouter(web.Options{Title: "Assay", Version: "1", Log: zerolog.Nop()})
	web.Register(router, operation(http.MethodGet, "/v1/hello/{name}"), greet)
	plain := ask(router, http.MethodGet, "/openapi.json", "")
	for accepted, want := range map[string]string{
		"": "", "identity": "", "gzip": "gzip", "deflate, gzip;q=0.5": "gzip", "br, *": "gzip", "gzip;q=0": "", "gzip; q=0.0": "", "xgzip": "",
	} {
		got := ask(router, http.MethodGet, "/openapi.json", "", "Accept-Encoding", accepted)
		if coding := got.Header().Get("Content-Encoding"); coding != want || got.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: got the coding %q and Vary %q, want %q", accepted, coding, got.Header().Get("Vary"), want)
		}
		if want == "" {
			continue
		}
		if 2*got.Body.Len() > plain.Body.Len() {
			t.Errorf("the compressed document has %d bytes, want at most half of %d", got.Body.Len(), plain.Body.Len())
		}
		r, err := gzip.NewReader(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(r); err != nil || string(text) != plain.Body.String() {
			t.Errorf("the compressed document differs from the plain one: %v", err)
		}
	}
}

// TestIntroductionComesFirst: the description begins with the introduction, and the table of problems comes last.
func TestIntroductionComesFirst(t *testing.T) {
	router := web.NewRouter(web.Options{Title: "Assay", Version: "1", Description: "# Quick start\n\nDo this.", Log: zerolog.Nop()})
	web.Register(router, operation(http.MethodGet, "/v1/hello/{name}"), greet)
	var document struct{ Info struct{ Description string } }
	if err := json.Unmarshal(ask(router, http.MethodGet, "/openapi.json", "").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	last := -1
	for _, heading := range []string{"# Quick start", "# Headers", "# Problems"} {
		at := strings.Index(document.Info.Description, heading)
		if at <= last || last == -1 && at != 0 {
			t.Errorf("%s is at %d of the description, want it after %d", heading, at, last)
		}
		last = at
	}
}

// TestMessagesUseNoWordsOfSchemas: errors of values are sentences for people.
func TestMessagesUseNoWordsOfSchemas(t *testing.T) {
	type query struct {
		Count int     `query:"count" minimum:"1" maximum:"9"`
		Kind  string  `query:"kind" enum:"a,b"`
		ID    string  `query:"id" format:"uuid"`
		Share float64 `query:"share" exclusiveMinimum:"0"`
		Name  string  `query:"name" minLength:"2" maxLength:"4"`
		On    bool    `query:"on"`
		Code  string  `query:"code" pattern:"^[a-z]+$"`
		Since string  `query:"since" format:"date-time"`
		Needs string  `query:"needs" required:"true"`
		Body  struct {
			List  []string `json:"list" maxItems:"1"`
			Whole int      `json:"whole"`
			Yes   bool     `json:"yes"`
		}
	}
	router := web.NewRouter(web.Options{Title: "Assay", Version: "1", Log: zerolog.Nop()})
	web.Register(router, operation(http.MethodPost, "/v1/check"), func(context.Context, *query) (*struct{}, error) { return &struct{}{}, nil })
	const target = "/v1/check?count=10&kind=c&id=x&share=0&name=a&on=maybe&code=A&since=today"
	got := ask(router, http.MethodPost, target, `{"list":["a","b"],"whole":1.5,"yes":"no"}`, "Content-Type", "application/json")
	var p web.Problem
	if err := json.Unmarshal(got.Body.Bytes(), &p); err != nil || got.Code != http.StatusUnprocessableEntity {
		t.Fatalf("got %d %s, %v, want 422", got.Code, got.Body, err)
	}
	want := map[string]string{
		"query.count": "must be at most 9", "query.kind": "must be one of a, b", "query.id": "must be an id such as 0192f7c0-7a3c-7cc1-b111-53f1c30f1c44",
		"query.share": "must be above 0", "query.name": "must have at least 2 characters", "query.on": "must be true or false",
		"query.code": "must have the form ^[a-z]+$", "query.since": "must be a time such as 2026-11-20T12:00:00Z", "query.needs": "is required",
		"body.list": "must have at most 1 entries", "body.whole": "must be a whole number", "body.yes": "must be true or false",
	}
	for _, e := range p.Errors {
		if want[e.Field] != e.Message {
			t.Errorf("%s: got %q, want %q", e.Field, e.Message, want[e.Field])
		}
		delete(want, e.Field)
	}
	if len(want) > 0 || p.Detail != "The request has values that are not valid; see errors." {
		t.Errorf("got the detail %q, and no errors of %v", p.Detail, want)
	}
	for _, word := range []string{"schema", "expected", "string", "array", "RFC", "property"} {
		if strings.Contains(got.Body.String(), word) {
			t.Errorf("the problem contains %q: %s", word, got.Body)
		}
	}
}
