package process

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestHealthQueriesTheService checks that health requests the service's readiness, that its
// exit status is the result, and that its output names the failed check.
func TestHealthQueriesTheService(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"checks":{"nats":"not connected"}}`) // the client checks the response
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	ready := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			t.Errorf("health requested %s, want /readyz", r.URL)
		}
	}))
	defer ready.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(ready.URL, "http://"), ":")

	for addr, want := range map[string]struct {
		status int
		stderr string
	}{
		strings.TrimPrefix(ready.URL, "http://"):  {0, ""},
		":" + port:                                {0, ""},
		"0.0.0.0:" + port:                         {0, ""},
		strings.TrimPrefix(server.URL, "http://"): {1, "not connected"},
		"127.0.0.1:1":                             {1, "refused"},
		"127.0.0.1:0":                             {1, "must be host:port"},
	} {
		t.Setenv("ASSAY_ADDR", addr)
		service, out, errs := start(t, "end", "health")
		for out.Scan() {
			t.Errorf("%s: got output %q, want none", addr, out.Text())
		}
		if got := status(t, service).ExitStatus(); got != want.status || !strings.Contains(errs.String(), want.stderr) {
			t.Errorf("%s: got status %d and stderr %q, want %d and %q", addr, got, errs, want.status, want.stderr)
		}
	}
}

func TestOwnURL(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:80": "http://127.0.0.1:80", ":80": "http://127.0.0.1:80", "0.0.0.0:80": "http://127.0.0.1:80",
		"[::]:80": "http://127.0.0.1:80", "[fe80::1]:80": "http://[fe80::1]:80", "localhost:80": "http://localhost:80",
	} {
		if got, err := ownURL(addr, TLS{}); err != nil || got != want {
			t.Errorf("ownURL(%s) = %s, %v, want %s", addr, got, err, want)
		}
	}
}

func TestArguments(t *testing.T) {
	for arguments, want := range map[string]struct {
		status         int
		stdout, stderr string
	}{
		"version":      {0, "porter " + ThisBuild().String(), ""},
		"serve":        {2, "", `porter: unknown argument "serve"`},
		"health check": {2, "", "health check"},
	} {
		service, out, errs := start(t, "end", strings.Fields(arguments)...)
		printed := ""
		for out.Scan() {
			printed += out.Text()
		}
		if got := status(t, service).ExitStatus(); got != want.status || printed != want.stdout || !strings.Contains(errs.String(), want.stderr) {
			t.Errorf("%s: got status %d, stdout %q and stderr %q, want %d, %q and %q", arguments, got, printed, errs, want.status, want.stdout, want.stderr)
		}
	}
}
