package system

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
)

// Intercept starts a proxy for an engine that uses HTTP, and returns the proxy's URL. The proxy calls each with every
// request before it forwards the request. It calls connected, unless it is nil, when the state of a connection changes.
func Intercept(t *testing.T, engine string, each func(*http.Request), connected func(net.Conn, http.ConnState)) string {
	t.Helper()
	target, err := url.Parse(engine)
	if err != nil {
		t.Fatal(err)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 256
	t.Cleanup(transport.CloseIdleConnections)
	proxy := &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host // the Host header is part of the signature
	}}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		each(r)
		proxy.ServeHTTP(w, r)
	}))
	server.Config.ConnState = connected
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// Forward returns a handler that forwards requests to an engine.
func Forward(t *testing.T, engine string) *httputil.ReverseProxy {
	t.Helper()
	target, err := url.Parse(engine)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host // the Host header is part of the signature
	}}
}
