// Package guard makes HTTP requests to untrusted URLs, and blocks addresses that are
// reachable only from this machine or its network, such as a cloud's metadata service.
//
// The address is checked when it is dialed, after name resolution. Redirects, and names that later
// resolve to another address, are therefore blocked like addresses in the URL.
package guard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/reason"
)

// ErrBlocked means that a request to a URL or an address is not allowed.
const ErrBlocked = reason.AddressBlocked

const (
	dialTime     = 10 * time.Second
	maxRedirects = 5
)

// Policy specifies the addresses that are allowed in addition to public addresses
// on ports 80 and 443.
type Policy struct {
	Networks []netip.Prefix // allowed on every port, even if private
	Ports    []uint16       // allowed on public addresses
	AnyPort  bool           // whether all ports are allowed on public addresses
	Private  bool           // whether only Networks are allowed

	// Names of the settings for Networks and Ports. An error names the setting that would allow the
	// address.
	NetworksSetting, PortsSetting string
}

// control returns the function that net.Dialer calls with the address that it is about to connect to.
func (p Policy) control() func(context.Context, string, string, syscall.RawConn) error {
	ports := ssrf.WithPorts(append([]uint16{80, 443}, p.Ports...)...)
	if p.AnyPort {
		ports = ssrf.WithAnyPort()
	}
	public := ssrf.New(ports)
	return func(_ context.Context, network, address string, conn syscall.RawConn) error {
		if at, err := netip.ParseAddrPort(address); err == nil && p.Allows(at.Addr()) {
			return nil
		}
		if p.Private {
			return p.blocked(address, ssrf.ErrProhibitedIP)
		}
		if err := public.Safe(network, address, conn); err != nil {
			return p.blocked(address, err)
		}
		return nil
	}
}

// blocked returns the error that names the setting that would allow an address.
func (p Policy) blocked(address string, cause error) error {
	switch {
	case errors.Is(cause, ssrf.ErrProhibitedPort) && p.PortsSetting != "":
		return ErrBlocked.With(reason.BlockedPort, address, p.PortsSetting, p.NetworksSetting)
	case errors.Is(cause, ssrf.ErrProhibitedIP) && p.NetworksSetting != "":
		return ErrBlocked.With(reason.BlockedNetwork, address, p.NetworksSetting)
	}
	return fmt.Errorf("%w: %s: %w", ErrBlocked, address, cause)
}

// Allows reports whether an address is in one of the networks.
func (p Policy) Allows(address netip.Addr) bool {
	return slices.ContainsFunc(p.Networks, func(n netip.Prefix) bool { return n.Contains(address.WithZone("")) })
}

// CheckURL returns ErrBlocked for a URL that is not http or https, has no host, or
// contains a user name.
func CheckURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%w: its scheme is not http or https", ErrBlocked)
	case u.Hostname() == "":
		return fmt.Errorf("%w: it has no host", ErrBlocked)
	case u.User != nil:
		return fmt.Errorf("%w: it has a user name", ErrBlocked)
	}
	return nil
}

// Check returns ErrBlocked for a URL that the policy blocks, without resolving names: one that CheckURL
// rejects, or whose host is localhost or an address that is not allowed.
func (p Policy) Check(u *url.URL) error {
	if err := CheckURL(u); err != nil {
		return err
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") { // see RFC 6761
		host = "127.0.0.1"
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return nil // a name: its addresses are checked when they are dialed
	}
	network, port := "tcp6", u.Port()
	if address.Is4() {
		network = "tcp4"
	}
	switch {
	case port == "" && u.Scheme == "http":
		port = "80"
	case port == "":
		port = "443"
	}
	return p.control()(context.Background(), network, net.JoinHostPort(host, port), nil)
}

// Client returns a client that enforces the policy. timeout limits a request including its redirects
// and body. The client uses no proxy, because the proxy would dial the address instead. The caller
// closes idle connections.
func Client(p Policy, timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout: timeout,
		Transport: checked{&http.Transport{
			DialContext:         (&net.Dialer{Timeout: dialTime, ControlContext: p.control()}).DialContext,
			ForceAttemptHTTP2:   true,
			TLSHandshakeTimeout: dialTime,
			IdleConnTimeout:     time.Minute,
			MaxIdleConns:        16,
		}},
		CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return fmt.Errorf("%w: more than %d redirects", ErrBlocked, maxRedirects)
			}
			return nil
		},
	}
}

// checked checks the URL of every request, redirects included.
type checked struct{ *http.Transport }

// RoundTrip implements http.RoundTripper. The span of a request ends with the header of its response.
func (c checked) RoundTrip(r *http.Request) (response *http.Response, err error) {
	if err := CheckURL(r.URL); err != nil {
		return nil, err
	}
	ctx, span := obs.Start(r.Context(), r.Method, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		semconv.HTTPRequestMethodKey.String(r.Method), semconv.ServerAddress(r.URL.Hostname())))
	defer func() { obs.End(span, err) }()
	if response, err = c.Transport.RoundTrip(r.WithContext(ctx)); err == nil {
		span.SetAttributes(semconv.HTTPResponseStatusCode(response.StatusCode))
	}
	return response, err
}
