// Package guard keeps requests to addresses that someone else chose away from
// what only this machine or its network can reach, such as a cloud's metadata
// service.
//
// The address is checked when it is dialed, after its name was looked up: so a
// name that means another address the second time, and a redirect, are caught as
// well as an address in the URL.
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
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// ErrRefused says that a URL or an address may not be asked.
var ErrRefused = errors.New("the address may not be asked")

const (
	dialTime     = 10 * time.Second
	maxRedirects = 5
)

// Policy says what may be asked besides public addresses on ports 80 and 443.
type Policy struct {
	Networks []netip.Prefix // allowed on every port, whatever they are
	Ports    []uint16       // allowed of public addresses, besides 80 and 443
}

// control is what net.Dialer calls with the address that it is about to connect
// to.
func (p Policy) control() func(context.Context, string, string, syscall.RawConn) error {
	public := ssrf.New(ssrf.WithPorts(append([]uint16{80, 443}, p.Ports...)...))
	return func(_ context.Context, network, address string, conn syscall.RawConn) error {
		if at, err := netip.ParseAddrPort(address); err == nil && p.Allows(at.Addr()) {
			return nil
		}
		if err := public.Safe(network, address, conn); err != nil {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
		return nil
	}
}

// Allows says whether an address is in one of the networks.
func (p Policy) Allows(address netip.Addr) bool {
	return slices.ContainsFunc(p.Networks, func(n netip.Prefix) bool { return n.Contains(address.WithZone("")) })
}

// CheckURL returns ErrRefused for a URL that is not http or https, has no host,
// or brings a user name along.
func CheckURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%w: its scheme is not http or https", ErrRefused)
	case u.Hostname() == "":
		return fmt.Errorf("%w: it has no host", ErrRefused)
	case u.User != nil:
		return fmt.Errorf("%w: it has a user name", ErrRefused)
	}
	return nil
}

// Client returns a client under the policy. A request takes timeout at most, with
// its redirects and body. It knows no proxy, which would do the dialing in its
// place. The caller closes idle connections.
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
				return fmt.Errorf("%w: more than %d redirects lead to it", ErrRefused, maxRedirects)
			}
			return nil
		},
	}
}

// checked looks at the URL of every request, redirects included.
type checked struct{ *http.Transport }

func (c checked) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := CheckURL(r.URL); err != nil {
		return nil, err
	}
	return c.Transport.RoundTrip(r)
}
