package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/web"
)

// secured returns a router that reads the caller from the bearer token, which is OWNER or OWNER:scope,role.
func secured(t *testing.T, audit web.Audit, roles ...web.Role) *web.Router {
	t.Helper()
	r := web.NewRouter(web.Options{Roles: roles, Audit: audit, Authenticate: func(_ http.ResponseWriter, req *http.Request) (web.Caller, error) {
		token, found := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
		if !found {
			return web.Caller{}, nil
		}
		owner, may, _ := strings.Cut(token, ":")
		if owner == "forged" {
			return web.Caller{}, web.Unauthenticated("invalid_token", "forged")
		}
		c := &web.Credential{Kind: "key"}
		for name := range strings.SplitSeq(may, ",") {
			if name == string(web.Operator) {
				c.Roles = append(c.Roles, web.Operator)
			} else {
				c.Scopes = append(c.Scopes, web.Scope(name))
			}
		}
		return web.Caller{Owner: owner, Credential: c}, nil
	}})
	type input struct{ web.CallerParam }
	type output struct{ Body struct{ Owner string } }
	answer := func(_ context.Context, in *input) (*output, error) {
		if in.Caller.Owner == "missing" || in.Caller.Credential == nil {
			return nil, web.NotFound("No such item.")
		}
		out := &output{}
		out.Body.Owner = in.Caller.Owner
		return out, nil
	}
	for _, op := range []huma.Operation{
		{OperationID: "read", Method: http.MethodGet, Path: "/v1/a"}, {OperationID: "write", Method: http.MethodPost, Path: "/v1/a"},
		{OperationID: "optional", Method: http.MethodGet, Path: "/v1/optional", Security: web.OptionalSecurity},
		{OperationID: "public", Method: http.MethodGet, Path: "/v1/public", Security: web.PublicSecurity},
	} {
		web.Register(r, op, answer)
	}
	r.Mux.HandleFunc("GET /v1/plain", func(http.ResponseWriter, *http.Request) {})
	r.Mux.HandleFunc("GET /page", func(http.ResponseWriter, *http.Request) {})
	r.Mux.HandleFunc("GET /missing", func(w http.ResponseWriter, req *http.Request) { web.WriteError(w, req, web.NotFound("No such file.")) })
	return r
}

func TestCredentialsAreRequired(t *testing.T) {
	clients, operators := secured(t, nil), secured(t, nil, web.Operator)
	for _, test := range []struct {
		router         *web.Router
		request, token string
		want           int
	}{
		{clients, "GET /v1/a", "", 401},
		{clients, "GET /v1/a", "forged", 401},
		{clients, "GET /v1/a", "anna:read", 200},
		{clients, "GET /v1/a", "missing:read", 404},
		{clients, "HEAD /v1/a", "anna:write", 403},
		{clients, "GET /v1/a", "anna:write", 403},
		{clients, "POST /v1/a", "anna:read", 403},
		{clients, "POST /v1/a", "anna:read,write", 200},
		{clients, "GET /v1/plain", "", 401}, // operations outside the API description need a credential too
		{clients, "GET /v1/plain", "anna:read", 200},
		{clients, "GET /v1/optional", "", 401}, // instead of 404: a credential may help
		{clients, "GET /v1/optional", "forged", 401},
		{clients, "GET /v1/optional", "anna:read", 200},
		{clients, "GET /v1/public", "forged", 401}, // the handler's 404 becomes a 401; the credential is not checked
		{clients, "GET /page", "forged", 200},
		{clients, "GET /missing", "", 404}, // a credential does not help
		{clients, "GET /missing", "anna:read", 404},
		{operators, "GET /missing", "anna:read,operator", 404},
		{clients, "GET /healthz", "forged", 200},
		{clients, "GET /openapi.json", "", 200},
		{clients, "GET /v1/none", "", 404},
		{operators, "GET /v1/a", "", 401},
		{operators, "GET /v1/optional", "", 401},
		{operators, "GET /v1/a", "anna:read", 403},
		{operators, "GET /v1/a", "anna:read,operator", 200},
		{operators, "POST /v1/a", "anna:read,operator", 403},
	} {
		method, path, _ := strings.Cut(test.request, " ")
		req := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, nil)
		if test.token != "" {
			req.Header.Set("Authorization", "Bearer "+test.token)
		}
		w := httptest.NewRecorder()
		test.router.ServeHTTP(w, req)
		if w.Code != test.want {
			t.Errorf("%s as %q: got %d, want %d: %s", test.request, test.token, w.Code, test.want, w.Body)
		}
		if challenge := w.Header().Get("WWW-Authenticate"); (w.Code == http.StatusUnauthorized) != strings.HasPrefix(challenge, "Bearer ") && w.Code != http.StatusForbidden {
			t.Errorf("%s as %q: got %d with the challenge %q, want a Bearer challenge only with 401", test.request, test.token, w.Code, challenge)
		}
	}
}

func TestOwnerOfACredential(t *testing.T) {
	r := secured(t, nil)
	for owner, want := range map[string]int{"": 200, "anna": 200, "bob": 422} {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/v1/a", nil)
		req.Header.Set("Authorization", "Bearer anna:read")
		if owner != "" {
			req.Header.Set(web.OwnerHeader, owner)
		}
		req.AddCookie(&http.Cookie{Name: web.OwnerCookie, Value: "bob"}) // names an anonymous owner only
		w := httptest.NewRecorder()
		if r.ServeHTTP(w, req); w.Code != want || want == http.StatusOK && !strings.Contains(w.Body.String(), "anna") {
			t.Errorf("with the header %q: got %d %s, want %d", owner, w.Code, w.Body, want)
		}
	}
}

// TestAnonymousCallersAreRejectedFirst checks that a caller who may not see an item learns nothing about parameters.
func TestAnonymousCallersAreRejectedFirst(t *testing.T) {
	r := secured(t, nil)
	type input struct {
		web.CallerParam
		Index int `path:"index"`
		Limit int `query:"limit" maximum:"10"`
	}
	read := func(context.Context, *input) (*struct{}, error) { return nil, nil }
	web.Register(r, huma.Operation{OperationID: "item", Method: http.MethodGet, Path: "/v1/items/{id}/parts/{index}", Security: web.OptionalSecurity}, read)
	r.Anonymous("/v1/items/", func(req *http.Request) error {
		if req.PathValue("id") != "for/all" || web.CallerOf(req.Context()).Credential != nil {
			return web.NotFound("No such item.")
		}
		return nil
	})
	for path, want := range map[string]int{
		"private/parts/1": 401, "private/parts/x": 401, "private/parts/1?limit=11": 401, "private/parts/1?other=1": 401,
		"for%2Fall/parts/1": 204, "for%2Fall/parts/x": 422, "for%2Fall/parts/1?limit=11": 422, "for%2Fall/parts/1?other=1": 422,
	} {
		if rec := ask(r, http.MethodGet, "/v1/items/"+path, "", web.OwnerHeader, "a"); rec.Code != want {
			t.Errorf("%s without a credential: got %d, want %d", path, rec.Code, want)
		}
		wantOf := map[bool]int{true: 204, false: 422}[strings.HasSuffix(path, "/1")]
		if rec := ask(r, http.MethodGet, "/v1/items/"+path, "", "Authorization", "Bearer anna:read"); rec.Code != wantOf {
			t.Errorf("%s with a credential: got %d, want %d", path, rec.Code, wantOf)
		}
	}
}
