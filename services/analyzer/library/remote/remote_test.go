package remote

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/guard"
	"github.com/assay-project/assay/pkg/reason"
)

// TestFailures checks that temporary failures are ErrTemporary and others permanent, and that no error contains an IP
// address.
func TestFailures(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch status, err := strconv.Atoi(r.URL.Path[1:]); {
		case err == nil:
			w.WriteHeader(status)
		case r.URL.Path == "/redirect":
			http.Redirect(w, r, "http://127.0.0.2/", http.StatusFound)
		}
	}))
	t.Cleanup(server.Close)
	f := New(guard.Policy{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	t.Cleanup(f.Close)
	for url, want := range map[string]struct {
		permanent bool
		text      string
	}{
		server.URL + "/404":              {true, "responded with 404"},
		server.URL + "/401":              {true, "responded with 401"},
		server.URL + "/204":              {true, "responded with 204"},
		server.URL + "/empty":            {true, "empty"},
		server.URL + "/redirect":         {true, "not allowed"},
		"http://127.0.0.2/":              {true, "not allowed"},
		"http://name.invalid/":           {true, "no server named name.invalid"},
		server.URL + "/408":              {false, "responded with 408"},
		server.URL + "/429":              {false, "responded with 429"},
		server.URL + "/503":              {false, "responded with 503"},
		"http://127.0.0.1:1/unreachable": {false, "cannot be reached"},
	} {
		_, err := f.Get(t.Context(), url)
		if reason.Permanent(err) != want.permanent || errors.Is(err, ErrTemporary) == want.permanent || !strings.Contains(reason.Of(err), want.text) || strings.Contains(reason.Of(err), "127.0.0") {
			t.Errorf("%s: got %v, permanent %t; want permanent %t, %q and no address", url, reason.Of(err), reason.Permanent(err), want.permanent, want.text)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if _, err := f.Get(ctx, server.URL); !errors.Is(err, stopped) {
		t.Errorf("after cancellation: got error %v, want the cause %v", err, stopped)
	}
}
