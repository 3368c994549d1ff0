package system

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
)

// Taps are called by a proxy. Each may be nil.
type Taps struct {
	Request    func(*http.Request)            // before the request is forwarded
	Response   func(*http.Response) error     // before the response is forwarded; after an error the client gets status 502
	Connection func(net.Conn, http.ConnState) // when the state of a connection changes
}

// Intercept starts a proxy for an engine that uses HTTP, and returns the proxy's URL.
func Intercept(t *testing.T, engine string, taps Taps) string {
	t.Helper()
	target, err := url.Parse(engine)
	if err != nil {
		t.Fatal(err)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 256
	t.Cleanup(transport.CloseIdleConnections)
	proxy := &httputil.ReverseProxy{Transport: transport, ModifyResponse: taps.Response, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host // the Host header is part of the signature
	}}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if taps.Request != nil {
			taps.Request(r)
		}
		proxy.ServeHTTP(w, r)
	}))
	server.Config.ConnState = taps.Connection
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
