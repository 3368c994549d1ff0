package web

import (
	"errors"
	"net/http"
	"net/url"
)

// OverTLS reports whether the client uses TLS to reach this server or the proxy in front of it. A client that claims
// this falsely gets cookies that its browser does not send.
func OverTLS(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}

// SchemeOf returns the scheme of the URL with which the client made a request.
func SchemeOf(r *http.Request) string {
	if OverTLS(r) {
		return "https"
	}
	return "http"
}

var errOrigin = errors.New("the page has another origin than this server")

// crossOrigin decides which requests come from pages of another origin.
type crossOrigin struct{ fetched *http.CrossOriginProtection }

// check returns an error for a request that may change something and comes from a page with another origin. Clients
// other than browsers send neither Origin nor Sec-Fetch-Site and pass. A browser that sends Sec-Fetch-Site has compared
// the origins itself. For others, net/http compares host and port, and check the scheme.
func (c crossOrigin) check(r *http.Request) error {
	if err := c.fetched.Check(r); err != nil {
		return err
	}
	origins := r.Header.Values("Origin")
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
	if reads || len(origins) == 0 || r.Header.Get("Sec-Fetch-Site") != "" {
		return nil
	}
	if at, err := url.Parse(origins[0]); err != nil || len(origins) > 1 || at.Scheme != SchemeOf(r) {
		return errOrigin
	}
	return nil
}
