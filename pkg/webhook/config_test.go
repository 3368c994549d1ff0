package webhook_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/guard"
	"github.com/assay-project/assay/pkg/webhook"
)

// TestOnlyAllowedAddressesAreCalled checks URLs at registration and when they are called: public addresses by https, allowed
// networks also by http, and no redirects.
func TestOnlyAllowedAddressesAreCalled(t *testing.T) {
	local := webhook.Config{AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	for _, test := range []struct {
		cfg     webhook.Config
		url     string
		allowed bool
	}{
		{webhook.Config{}, "https://example.org/hook", true},
		{webhook.Config{}, "https://1.1.1.1:8443/hook", true},
		{webhook.Config{}, "http://example.org/hook", false},
		{webhook.Config{}, "https://127.0.0.1/hook", false},
		{webhook.Config{}, "https://localhost/hook", false},
		{webhook.Config{}, "https://169.254.169.254/latest", false},
		{local, "http://127.0.0.1:8080/hook", true},
		{local, "http://1.1.1.1/hook", false},
		{local, "https://10.0.0.1/hook", false},
	} {
		u, err := url.Parse(test.url)
		if err != nil {
			t.Fatal(err)
		}
		if err := test.cfg.CheckURL(u); (err == nil) != test.allowed || err != nil && !errors.Is(err, guard.ErrBlocked) {
			t.Errorf("%s with %v: got %v, want allowed %v", test.url, test.cfg.AllowNetworks, err, test.allowed)
		}
	}
	server := httptest.NewServer(http.RedirectHandler("/elsewhere", http.StatusTemporaryRedirect))
	defer server.Close()
	if _, err := post(t, webhook.Config{}, server.URL); !errors.Is(err, guard.ErrBlocked) {
		t.Errorf("a name or an address that is not allowed: got error %v, want ErrBlocked", err)
	}
	if status, err := post(t, local, server.URL); err != nil || status != http.StatusTemporaryRedirect {
		t.Errorf("a redirect: got %d, %v, want the redirect", status, err)
	}
}

func post(t *testing.T, cfg webhook.Config, url string) (int, error) {
	t.Helper()
	client := cfg.Client()
	defer client.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}
