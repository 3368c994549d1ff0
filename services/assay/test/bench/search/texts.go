package main

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
)

// texts serves the texts of files from memory and all other objects from the S3 engine, because storing 100,000
// objects takes longer than indexing them.
type texts struct {
	*httptest.Server
	packed map[string][]byte // by key; not changed while the server is used
}

func newTexts(engine string) (*texts, error) {
	u, err := url.Parse(engine)
	if err != nil {
		return nil, err
	}
	// The Host header is signed and must not change.
	others := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u); r.Out.Host = r.In.Host }}
	t := &texts{packed: map[string][]byte{}}
	t.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/") // after the bucket
		text, ok := t.packed[key]
		if !ok || r.Method != http.MethodGet {
			others.ServeHTTP(w, r)
			return
		}
		w.Header().Set("ETag", `"text"`)
		_, _ = w.Write(text) // query retries
	}))
	return t, nil
}

func (t *texts) put(key, text string) error {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	t.packed[key] = b.Bytes()
	return nil
}
