package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/web"
)

func TestHandlersGetTheirCaller(t *testing.T) {
	router := web.NewRouter(web.Options{Log: zerolog.Nop(), Roles: []web.Role{web.Operator}})
	var seen web.Caller
	type input struct{ web.CallerParam }
	web.Register(router, operation(http.MethodGet, "/typed"), func(_ context.Context, in *input) (*struct{}, error) {
		seen = in.Caller
		return nil, nil
	})
	router.Handle(operation(http.MethodGet, "/plain"), func(_ http.ResponseWriter, r *http.Request) {
		seen = web.CallerOf(r.Context())
	})
	for _, path := range []string{"/typed", "/plain"} {
		for _, owner := range []string{"", "ann"} {
			seen = web.Caller{}
			rec := ask(router, http.MethodGet, path, "", web.OwnerHeader, owner)
			if seen.Owner != owner || !seen.Has(web.Operator) || seen.Client != "192.0.2.1" || rec.Header().Get(web.OwnerHeader) != "" {
				t.Errorf("%s: caller %q: got %+v, response header %v, want an operator with this owner and no owner header", path, owner, seen, rec.Header())
			}
		}
		p := problemIn(t, ask(router, http.MethodGet, path, "", web.OwnerHeader, "a b"))
		if p.Status != http.StatusUnprocessableEntity || len(p.Errors) != 1 || p.Errors[0].Field != "header.X-Owner-Id" {
			t.Errorf("%s: a malformed owner: got %+v, want 422 for header.X-Owner-Id", path, p)
		}
	}
	if (web.Caller{}).Has(web.Operator) {
		t.Error("Has(Operator) of a caller without roles: got true, want false")
	}
}

func TestAnonymousCallersActForTheNamedOwner(t *testing.T) {
	var caller web.Caller
	for owner, ok := range map[string]bool{"ann": true, "a b": false, "": false, "..": false} {
		if err := caller.ActFor(owner, "path.ownerId"); (err == nil) != ok {
			t.Errorf("ActFor(%q): got error %v, want accepted = %t", owner, err, ok)
		}
	}
}

// TestOwnerCookie checks that the cookie names the owner of reads only, and only without the header.
func TestOwnerCookie(t *testing.T) {
	router := web.NewRouter(web.Options{})
	router.Mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Seen", web.CallerOf(r.Context()).Owner) })
	for _, c := range []struct{ method, header, want string }{
		{http.MethodGet, "", "by-cookie"}, {http.MethodHead, "", "by-cookie"}, {http.MethodGet, "by-header", "by-header"},
		{http.MethodPost, "", ""}, {http.MethodDelete, "", ""},
	} {
		req := httptest.NewRequestWithContext(t.Context(), c.method, "http://localhost/x", nil)
		req.AddCookie(&http.Cookie{Name: web.OwnerCookie, Value: "by-cookie"})
		if c.header != "" {
			req.Header.Set(web.OwnerHeader, c.header)
		}
		answer := httptest.NewRecorder()
		router.ServeHTTP(answer, req)
		if got := answer.Header().Get("Seen"); got != c.want {
			t.Errorf("%s with the header %q: got owner %q, want %q", c.method, c.header, got, c.want)
		}
	}
}
