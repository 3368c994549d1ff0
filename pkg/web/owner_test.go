package web_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/web"
)

func TestOwnerIsAcceptedOrGeneratedAndReturned(t *testing.T) {
	var inside string
	router := web.NewRouter(web.Options{Log: zerolog.Nop()})
	type input struct{ web.OwnerParam }
	web.Register(router, operation(http.MethodPost, "/typed"), func(_ context.Context, in *input) (*struct{}, error) {
		inside = in.OwnerID
		return nil, nil
	})
	router.Handle(operation(http.MethodPost, "/plain"), func(w http.ResponseWriter, r *http.Request) {
		inside, _ = web.Owner(w, r)
	})
	for _, path := range []string{"/typed", "/plain"} {
		for _, given := range []string{"a", "A.z_0~@:+=-", strings.Repeat("x", 128)} {
			rec := ask(router, http.MethodPost, path, "", web.OwnerHeader, given)
			if inside != given || rec.Header().Get(web.OwnerHeader) != given {
				t.Errorf("%s: owner %q: got %q in the handler and %q in the response, want the same", path, given, inside, rec.Header().Get(web.OwnerHeader))
			}
		}
		rec := ask(router, http.MethodPost, path, "")
		made := rec.Header().Get(web.OwnerHeader)
		if id, err := uuid.Parse(made); err != nil || id.Version() != 7 || made != inside {
			t.Errorf("%s: got %q in the response and %q in the handler, want the same UUIDv7", path, made, inside)
		}
		for _, bad := range []string{"a b", "a/b", "ü", strings.Repeat("x", 129), "a#b", ".", ".."} {
			inside = ""
			rec := ask(router, http.MethodPost, path, "", web.OwnerHeader, bad)
			p := problemIn(t, rec)
			if p.Status != 422 || len(p.Errors) != 1 || p.Errors[0].Field != "header.X-Owner-Id" || inside != "" {
				t.Errorf("%s: owner %q: got %+v, want 422 for header.X-Owner-Id", path, bad, p)
			}
		}
	}
}
