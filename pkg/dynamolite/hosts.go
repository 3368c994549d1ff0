package dynamolite

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// addressed returns an error for a request that a web page may have sent without
// its user's knowledge: a request whose Host is not allowed, which indicates DNS
// rebinding, or a cross-origin request.
func (e *Engine) addressed(r *http.Request) error {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !allowedHost(r.Host, e.hosts, local) {
		return &apiError{code: misdirected, message: fmt.Sprintf("This server does not serve the host %q. If it should, add the name to %s", r.Host, e.hostsFrom)}
	}
	if e.origin.Check(r) != nil {
		return &apiError{code: "AccessDeniedException", message: "Cross-origin requests are not allowed"}
	}
	return nil
}

// allowedHost reports whether a Host header is a loopback name, one of names, or the
// IP address of the connection. Ports are not compared.
func allowedHost(host string, names []string, local net.Addr) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(strings.TrimSuffix(host, "."), "[]"))
	if host == "localhost" || slices.Contains(names, host) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	to, ok := local.(*net.TCPAddr)
	return ip.Unmap().IsLoopback() || ok && ip.Unmap() == to.AddrPort().Addr().Unmap()
}
