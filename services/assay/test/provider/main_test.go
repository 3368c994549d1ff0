package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/identity/oidctest"
)

// TestSignIn: the page redirects to loopback addresses only, with an authorization code for the selected user. The
// tests of pkg/identity check the tokens.
func TestSignIn(t *testing.T) {
	p, err := oidctest.Open("http://127.0.0.1:8088")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		handler(p).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w
	}
	query := url.Values{
		"redirect_uri": {"http://127.0.0.1:8080/v1/session/callback"}, "client_id": {p.ClientID}, "code_challenge": {"x"},
		"code_challenge_method": {"S256"}, "response_type": {"code"}, "state": {"s"},
	}
	shown := ask("/authorize?" + query.Encode())
	for user, claims := range users {
		query.Set("user", user)
		at := "/authorize?" + query.Encode()
		if name, _ := claims["name"].(string); !strings.Contains(shown.Body.String(), strings.ReplaceAll(at, "&", "&amp;")+`">`+name) {
			t.Errorf("the page has no link to sign in as %s: %s", name, shown.Body)
		}
		back := ask(at)
		if to := back.Header().Get("Location"); back.Code != http.StatusFound || !strings.HasPrefix(to, "http://127.0.0.1:8080/v1/session/callback?code=") {
			t.Errorf("signing in as %s: got %d to %q, want 302 to the callback with a code", user, back.Code, to)
		}
		if token := ask("/tokens/" + user); token.Code != http.StatusOK || strings.Count(token.Body.String(), ".") != 2 {
			t.Errorf("token of %s: got %d %s, want 200 with a JWT", user, token.Code, token.Body)
		}
	}
	query.Set("user", "carl")
	if w := ask("/authorize?" + query.Encode()); w.Code != http.StatusBadRequest {
		t.Errorf("signing in as an unknown user: got %d, want 400", w.Code)
	}
	query.Set("redirect_uri", "https://example.com/")
	if w := ask("/authorize?" + query.Encode()); w.Code != http.StatusBadRequest {
		t.Errorf("redirect to another host: got %d, want 400", w.Code)
	}
	if w := ask("/tokens/carl"); w.Code != http.StatusNotFound {
		t.Errorf("token of an unknown user: got %d, want 404", w.Code)
	}
}
