package web

import (
	"net"
	"net/http"
	"net/url"
)

// LocalOwner returns the owner whose items a browser shows by default, as in Options, if the request was sent on this machine.
// It returns "" for other requests: the id acts as a credential. A proxy on this machine is recognized by its headers.
func (r *Router) LocalOwner(req *http.Request) string {
	if r.authenticate != nil || !Loopback((&url.URL{Host: req.Host}).Hostname()) {
		return ""
	}
	if peer, _, err := net.SplitHostPort(req.RemoteAddr); err != nil || !Loopback(peer) {
		return ""
	}
	for _, header := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if req.Header.Get(header) != "" {
			return ""
		}
	}
	return r.localOwner
}
