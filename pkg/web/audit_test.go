package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-project/assay/pkg/web"
)

// TestRejectedWritesAreRecorded checks that a write that the credential does not allow is recorded with its status, that
// other refusals and reads are not, and that refused users cannot fill the log.
func TestRejectedWritesAreRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var recorded []string
		var broken error
		r := secured(t, func(_ context.Context, w web.Write) (func(int), error) {
			return func(status int) {
				recorded = append(recorded, fmt.Sprint(w.Caller.Owner, " ", w.Operation, " ", status))
			}, broken
		}, web.Operator)
		send := func(method, token string, want int) {
			t.Helper()
			w, req := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), method, "http://localhost/v1/a", nil)
			if token != "" {
				req.Header.Set("Authorization", "Bearer "+token)
			}
			if r.ServeHTTP(w, req); w.Code != want {
				t.Fatalf("%s with %q: got status %d, want %d", method, token, w.Code, want)
			}
		}
		send(http.MethodPost, "", 401)
		send(http.MethodPost, "forged", 401)
		send(http.MethodPost, "anna:read,write", 403)
		send(http.MethodGet, "anna:read,write", 403)
		send(http.MethodPost, "ops:read,operator", 403)
		send(http.MethodPost, "ops:read,write,operator", 200)
		if want := []string{"anna write 403", "ops write 403", "ops write 200"}; !slices.Equal(recorded, want) {
			t.Errorf("the log has %q, want %q", recorded, want)
		}
		broken = errors.New("no log")
		send(http.MethodPost, "anna:write", 403) // a refusal needs no log
		send(http.MethodPost, "ops:write,operator", 503)
		broken, recorded = nil, nil
		count := func(want int) {
			t.Helper()
			for range 200 {
				send(http.MethodPost, "anna:write", 403)
			}
			if len(recorded) != want {
				t.Errorf("%d of 200 refused writes are recorded, want %d", len(recorded), want)
			}
			recorded = nil
		}
		count(97) // 3 of the limit of 100 are used above
		count(0)
		<-time.After(10 * time.Minute) // of the test's clock
		count(10)
		<-time.After(24 * time.Hour)
		count(100)
	})
}
