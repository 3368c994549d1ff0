package cmd

import (
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"testing"
)

// gate forwards requests to a server while it is open, and refuses connections otherwise.
type gate struct {
	addr   string
	to     *url.URL
	server *http.Server // nil while the gate is shut
}

func newGate(t *testing.T, server string) *gate {
	t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") // reserves a free port
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{addr: listener.Addr().String(), to: to}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.shut)
	return g
}

func (g *gate) open(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	g.server = &http.Server{Handler: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(g.to) }}}
	go func() { _ = g.server.Serve(listener) }() // returns when the gate is shut
}

func (g *gate) shut() {
	if g.server != nil {
		_ = g.server.Close() // the test does not depend on it
		g.server = nil
	}
}
