package webhook

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/assay-project/assay/pkg/guard"
)

// Config contains the setting of webhooks, with which ingest checks URLs and query makes requests.
type Config struct {
	AllowNetworks []netip.Prefix `env:"ASSAY_WEBHOOKS_ALLOW_NETWORKS" use:"often" doc:"private networks that may contain the receivers of webhooks, such as 10.1.0.0/16,fd00:1::/64; only there may URLs begin with http://"`
}

// policy returns the addresses that may be called with a scheme.
func (c Config) policy(scheme string) guard.Policy {
	return guard.Policy{Networks: c.AllowNetworks, NetworksSetting: "ASSAY_WEBHOOKS_ALLOW_NETWORKS", AnyPort: true, Private: scheme == "http"}
}

// CheckURL returns an error that wraps guard.ErrBlocked for a URL that may not be called. Names are resolved only when they are
// called.
func (c Config) CheckURL(u *url.URL) error {
	if u.Scheme == "http" && len(c.AllowNetworks) == 0 {
		return fmt.Errorf("%w: the URL must begin with https://, unless its host is in a network of the setting ASSAY_WEBHOOKS_ALLOW_NETWORKS", guard.ErrBlocked)
	}
	return c.policy(u.Scheme).Check(u)
}

// Timeout is the timeout of a request, including the response.
const Timeout = 20 * time.Second

// Client returns a client that may call only what the setting allows, and follows no redirects. The caller closes its idle
// connections.
func (c Config) Client() *http.Client {
	client := guard.Client(c.policy("https"), Timeout)
	client.Transport = transport{client.Transport, guard.Client(c.policy("http"), Timeout).Transport}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

// transport has a transport for each scheme.
type transport struct{ secure, plain http.RoundTripper }

// RoundTrip uses the transport of the scheme.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme == "http" {
		return t.plain.RoundTrip(r)
	}
	return t.secure.RoundTrip(r)
}

// CloseIdleConnections closes the idle connections of both.
func (t transport) CloseIdleConnections() {
	for _, one := range []http.RoundTripper{t.secure, t.plain} {
		if closing, ok := one.(interface{ CloseIdleConnections() }); ok {
			closing.CloseIdleConnections()
		}
	}
}
