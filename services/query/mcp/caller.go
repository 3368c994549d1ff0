package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/assay-project/assay/pkg/web"
)

// caller makes calls of the API in the name of a request.
type caller struct {
	api     http.Handler
	request *http.Request
}

// identity lists the headers that name the caller.
var identity = []string{"Authorization", web.OwnerHeader}

// answer makes a call.
func (c caller) answer(ctx context.Context, path string, query url.Values) *answer {
	a := &answer{header: http.Header{}}
	a.to = &a.body
	c.call(ctx, path, query, a)
	return a
}

func (c caller) call(ctx context.Context, path string, query url.Values, a *answer) {
	req := (&http.Request{
		Method: http.MethodGet, URL: &url.URL{Path: path, RawQuery: query.Encode()}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Host: c.request.Host, RemoteAddr: c.request.RemoteAddr,
	}).WithContext(ctx)
	for _, name := range identity {
		if values := c.request.Header.Values(name); len(values) > 0 {
			req.Header[name] = values
		}
	}
	c.api.ServeHTTP(a, req)
}

// get returns the body of a call that succeeds. Otherwise the error says what is wrong with it, in words.
func (c caller) get(ctx context.Context, path string, query url.Values) ([]byte, error) {
	a := c.answer(ctx, path, query)
	return a.body.Bytes(), a.err()
}

// stream writes the body of a call that succeeds, like get.
func (c caller) stream(ctx context.Context, path string, query url.Values, to io.Writer) error {
	a := &answer{header: http.Header{}, to: to}
	c.call(ctx, path, query, a)
	return a.err()
}

// err returns what is wrong with a call that failed, in words.
func (a *answer) err() error {
	if a.status < http.StatusBadRequest {
		return nil
	}
	var p web.Problem
	if err := json.Unmarshal(a.body.Bytes(), &p); err != nil {
		return fmt.Errorf("the call failed with the status %d", a.status)
	}
	said := []string{p.Detail}
	if p.Detail == "" {
		said[0] = p.Title
	}
	for _, e := range p.Errors {
		_, argument, _ := strings.Cut(e.Field, ".")
		said = append(said, argument+" "+e.Message)
	}
	return errors.New(strings.Join(said, " "))
}

// read decodes the body of a call.
func (c caller) read(ctx context.Context, path string, query url.Values, into any) error {
	body, err := c.get(ctx, path, query)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// answer is the response to a call.
type answer struct {
	status int
	header http.Header
	to     io.Writer    // receives the body of a call that succeeds
	body   bytes.Buffer // of a call that fails
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status = status
	}
}

func (a *answer) Write(part []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.status < http.StatusBadRequest {
		return a.to.Write(part)
	}
	return a.body.Write(part)
}

// copyTo sends the response.
func (a *answer) copyTo(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body.Bytes())
}
