package newsapi

import (
	"net/http"
	"testing"

	"github.com/assay-project/assay/pkg/guard/fetch"
)

// FuzzPage parses arbitrary responses of a server, with any status.
func FuzzPage(f *testing.F) {
	f.Add(200, []byte(`{"status":"ok","totalResults":1,"articles":[{"title":"a","publishedAt":"2026-11-20T12:00:00Z"}]}`))
	f.Add(200, []byte(`{"status":"ok","articles":[1,null,{"publishedAt":7}]}`))
	f.Add(426, []byte(`{"status":"error","code":"maximumResultsReached","message":"\ud800"}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		page, err := parse(fetch.Response{Status: status, Header: http.Header{}, Body: body})
		if err != nil && len(page.Articles) > 0 {
			t.Fatalf("got page %v and error %v, want only one of them", page, err)
		}
		if err == nil && status != http.StatusOK && status != http.StatusNotModified {
			t.Fatalf("status %d: got a page, want an error", status)
		}
	})
}
