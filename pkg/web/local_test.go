package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestLocalOwner checks that only requests from this machine to a server without sign-in get the default owner.
func TestLocalOwner(t *testing.T) {
	open := NewRouter(Options{LocalOwner: "me"})
	signed := NewRouter(Options{LocalOwner: "me", Authenticate: func(http.ResponseWriter, *http.Request) (Caller, error) { return Caller{}, nil }})
	for _, c := range []struct {
		router     *Router
		host, peer string
		header     string
		want       string
	}{
		{open, "127.0.0.1:8080", "127.0.0.1:5000", "", "me"},
		{open, "localhost", "[::1]:5000", "", "me"},
		{open, "files.example.com", "127.0.0.1:5000", "", ""},
		{open, "127.0.0.1:8080", "192.0.2.7:5000", "", ""},
		{open, "127.0.0.1:8080", "127.0.0.1:5000", "X-Forwarded-For", ""},
		{open, "127.0.0.1:8080", "127.0.0.1:5000", "Forwarded", ""},
		{signed, "127.0.0.1:8080", "127.0.0.1:5000", "", ""},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/session", nil)
		r.Host, r.RemoteAddr = c.host, c.peer
		if c.header != "" {
			r.Header.Set(c.header, "192.0.2.7")
		}
		if got := c.router.LocalOwner(r); got != c.want {
			t.Errorf("host %s, peer %s, header %q: got %q, want %q", c.host, c.peer, c.header, got, c.want)
		}
	}
}
