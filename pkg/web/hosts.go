package web

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Hosts are the host names under which a server accepts requests. A page that uses DNS rebinding sends
// its own name as the Host of its requests, so they are rejected.
//
// Loopback names, and the IP address that a connection was made to, are always allowed. The zero
// value allows nothing else.
type Hosts struct{ names map[string]bool }

// ParseHosts returns the Hosts of a list of names. A port is accepted and has no effect. Empty entries
// are skipped.
func ParseHosts(names ...string) (Hosts, error) {
	h := Hosts{names: map[string]bool{}}
	for _, name := range names {
		switch host := hostName(name); {
		case host == "" && strings.TrimSpace(name) != "", strings.ContainsAny(name, "/*@"):
			return Hosts{}, fmt.Errorf("%q is not a host name, such as assay.example.com", name)
		case host != "":
			h.names[host] = true
		}
	}
	return h, nil
}

// Names returns the allowed names in lower case, sorted, without those that are always allowed.
func (h Hosts) Names() []string { return slices.Sorted(maps.Keys(h.names)) }

// Allow reports whether a request with this Host header is allowed on a connection to local, which may be
// nil. Ports are not compared.
func (h Hosts) Allow(host string, local net.Addr) bool {
	host = hostName(host)
	if h.names[host] || Loopback(host) {
		return true
	}
	to, ok := local.(*net.TCPAddr)
	ip, err := netip.ParseAddr(host)
	return ok && err == nil && ip.Unmap() == to.AddrPort().Addr().Unmap()
}

// check returns the problem for a request whose Host is not allowed.
func (h Hosts) check(r *http.Request) error {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if h.Allow(r.Host, local) {
		return nil
	}
	return NewProblem(http.StatusMisdirectedRequest, "misdirected-request", Misdirected(r.Host))
}

// Misdirected returns the message that a Host is not allowed and which setting allows it.
func Misdirected(host string) string {
	return fmt.Sprintf("This server does not serve the host %q. To allow it, add the name to ASSAY_PUBLIC_HOSTS.", host)
}

// Loopback reports whether a host is a loopback name or address.
func Loopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// Reachable returns the host:port at which this machine reaches a server that listens on addr. It
// replaces an unspecified address with loopback.
func Reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err != nil || host != "" && (ip == nil || !ip.IsUnspecified()) {
		return addr
	}
	return net.JoinHostPort("127.0.0.1", port)
}

// hostName returns the host of a Host header in lower case, without port, brackets and trailing
// dot.
func hostName(hostport string) string {
	host := strings.TrimSpace(hostport)
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
