package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-project/assay/pkg/web"
)

// TestStreamEndsWithItsCredential checks that a stream without events ends when the credential becomes
// invalid, and continues while it cannot be verified.
func TestStreamEndsWithItsCredential(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		check := func(context.Context) error {
			switch since := time.Since(began); {
			case since > 9*time.Second:
				return web.Unauthenticated("invalid_token", "revoked")
			case since > 3*time.Second:
				return web.Unavailable("not now", time.Second)
			}
			return nil
		}
		r := web.NewRouter(web.Options{Authenticate: func(http.ResponseWriter, *http.Request) (web.Caller, error) {
			return web.Caller{Owner: "anna", Credential: &web.Credential{Scopes: []web.Scope{web.ReadScope}, Check: check}}, nil
		}})
		r.Mux.HandleFunc("GET /v1/stream", func(w http.ResponseWriter, req *http.Request) {
			stream, err := web.OpenSSE(w, req)
			if err != nil {
				t.Error(err)
				return
			}
			if err := stream.Pump(nil, func() (web.Batch, error) { return web.Batch{}, nil }); err != nil {
				t.Error(err)
			}
		})
		r.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/v1/stream", nil))
		if took := time.Since(began); took < 9*time.Second || took > 12*time.Second {
			t.Errorf("the stream ended after %s, want about 10s", took)
		}
	})
}
