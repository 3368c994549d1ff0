package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/identity/oidctest"
)

// TestSignIn follows the page to the authorization code of the selected user, on loopback only. How tokens are
// checked is tested in pkg/identity.
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
			t.Errorf("the page has no link for %s: %s", name, shown.Body)
		}
		back := ask(at)
		if to := back.Header().Get("Location"); back.Code != http.StatusFound || !strings.HasPrefix(to, "http://127.0.0.1:8080/v1/session/callback?code=") {
			t.Errorf("%s: %d to %q", user, back.Code, to)
		}
		if token := ask("/tokens/" + user); token.Code != http.StatusOK || strings.Count(token.Body.String(), ".") != 2 {
			t.Errorf("%s gets %d %s", user, token.Code, token.Body)
		}
	}
	query.Set("user", "carl")
	if w := ask("/authorize?" + query.Encode()); w.Code != http.StatusBadRequest {
		t.Errorf("an unknown user: %d", w.Code)
	}
	query.Set("redirect_uri", "https://example.com/")
	if w := ask("/authorize?" + query.Encode()); w.Code != http.StatusBadRequest {
		t.Errorf("a redirect to another host: %d", w.Code)
	}
	if w := ask("/tokens/carl"); w.Code != http.StatusNotFound {
		t.Errorf("a token of an unknown user: %d", w.Code)
	}
}
