package web_test

import (
	"cmp"
	"context"
	"errors"
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

func TestCallersActForOneOwner(t *testing.T) {
	for _, c := range []struct {
		caller web.Caller
		owner  string
		want   int
	}{
		{web.Caller{}, "ann", 0}, {web.Caller{}, "a b", 422}, {web.Caller{}, "", 422}, {web.Caller{}, "..", 422},
		{web.Caller{Owner: "ann"}, "ann", 0}, {web.Caller{Owner: "bob"}, "ann", 404}, {web.Caller{Owner: "bob"}, "a b", 422},
		{web.Caller{Owner: "bob", Roles: []web.Role{web.Operator}}, "ann", 0},
	} {
		p, _ := errors.AsType[*web.Problem](c.caller.ActFor(c.owner, "path.ownerId"))
		if got := cmp.Or(p, &web.Problem{}).Status; got != c.want {
			t.Errorf("ActFor(%q) of the owner %q with the roles %v: got %d, want %d", c.owner, c.caller.Owner, c.caller.Roles, got, c.want)
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
