package web_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/web"
)

// TestFullDiskRejectsWrites checks that writes are rejected while the disk is full, and that
// reads and deletes continue.
func TestFullDiskRejectsWrites(t *testing.T) {
	var full error
	router := web.NewRouter(web.Options{Writable: func() error { return full }})
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		web.Register(router, operation(method, "/a"), func(context.Context, *struct{}) (*struct{}, error) { return nil, nil })
	}
	for _, full = range []error{nil, errors.New("3 MiB left")} {
		for method, stores := range map[string]bool{"GET": false, "POST": true, "PUT": true, "PATCH": true, "DELETE": false} {
			got := ask(router, method, "/a", "")
			refused := got.Code == http.StatusServiceUnavailable && got.Header().Get("Retry-After") == "10" &&
				strings.Contains(got.Body.String(), "storage-full") && !strings.Contains(got.Body.String(), "3 MiB")
			if want := stores && full != nil; refused != want || !refused && got.Code != http.StatusNoContent {
				t.Errorf("%s with %v: got %d %s, want rejected = %t", method, full, got.Code, got.Body, want)
			}
		}
	}
}
