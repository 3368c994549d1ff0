package wire

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"time"
)

// listenHTTP starts the proxy for an engine that speaks HTTP.
func (w *Wire) listenHTTP(engine, target string, name func(*http.Request) string, through *string) error {
	to, err := parse(target)
	if err != nil {
		return err
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host // the Host header is signed
		},
		Transport: transport(func(r *http.Request) (*http.Response, error) {
			return w.roundTrip(Call{engine, name(r)}, r)
		}),
		// On any error, close the connection to the process.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	*through = "http://" + l.Addr().String()
	server := &http.Server{Handler: proxy, ReadHeaderTimeout: 10 * time.Second}
	w.closers = append(w.closers, server)
	go func() { _ = server.Serve(l) }() // until it is closed
	return nil
}

// roundTrip makes one call. It reads the request and response bodies, which are small,
// completely, so that a call is atomic.
func (w *Wire) roundTrip(call Call, r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	if !w.passes(call, Before) {
		return nil, errCut
	}
	resp, err := w.pool.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	if !w.passes(call, After) {
		return nil, errCut
	}
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	return resp, nil
}

// nameDynamoDB returns the name of the operation.
func nameDynamoDB(r *http.Request) string {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	return operation
}

// nameS3 returns the method and the first part of the key, or the prefix of a list.
func nameS3(r *http.Request) string {
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 3)
	switch {
	case r.URL.Query().Has("list-type"):
		return "list " + strings.TrimSuffix(r.URL.Query().Get("prefix"), "/")
	case len(parts) > 1 && parts[1] != "":
		return r.Method + " " + parts[1]
	}
	return r.Method + " bucket"
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }
