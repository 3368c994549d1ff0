package system

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
)

// IsProblem reports whether an error is a problem with this status.
func IsProblem(err error, status int) bool {
	problem, ok := errors.AsType[*client.Problem](err)
	return ok && problem.Status == status
}

// Get sends a GET request and returns the status and body of the response.
func Get(t *testing.T, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(Within(t), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, body := Exchange(t, req)
	return resp.StatusCode, body
}

// Ask sends a request without the client library, and returns the response and its body.
func (s System) Ask(t *testing.T, method, path string, header map[string]string, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(Within(t), method, s.HTTP+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		req.Header.Set(name, header[name])
	}
	return Exchange(t, req)
}

// Exchange sends a request without following redirects, and returns the response and its body.
func Exchange(t *testing.T, req *http.Request) (*http.Response, string) {
	t.Helper()
	resp, body, err := RoundTrip(req)
	if err != nil {
		t.Fatalf("%s %s: %v", req.Method, req.URL, err)
	}
	return resp, body
}

// RoundTrip is like Exchange, but returns an error.
func RoundTrip(req *http.Request) (*http.Response, string, error) {
	plain := http.Client{
		Transport:     Patient(&http.Transport{DisableKeepAlives: true}),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := plain.Do(req)
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), errors.Join(err, resp.Body.Close())
}

// Problem is an error response as defined by RFC 9457.
type Problem struct {
	Type, Title, Detail, Instance string
	Status                        int
	Errors                        []struct{ Field, Message string }
}

// Refused checks that a response is a problem with this status and type, and returns the problem.
func Refused(t *testing.T, resp *http.Response, body string, status int, slug string) Problem {
	t.Helper()
	var p Problem
	if resp.StatusCode != status || json.Unmarshal([]byte(body), &p) != nil ||
		resp.Header.Get("Content-Type") != "application/problem+json" ||
		p.Type != "urn:assay:problem:"+slug || p.Status != status || p.Title == "" {
		t.Errorf("got status %d %s, want status %d and problem %s: %s", resp.StatusCode, resp.Header.Get("Content-Type"), status, slug, body)
	}
	if id := resp.Header.Get("X-Request-Id"); id == "" || !strings.HasSuffix(p.Instance, id) {
		t.Errorf("the instance is %q, want the request id %q", p.Instance, id)
	}
	return p
}

// Form returns a multipart body with one part, and its content type.
func Form(disposition, contentType, content string) (body, header string) {
	const boundary = "e2e-boundary"
	var b bytes.Buffer
	b.WriteString("--" + boundary + "\r\nContent-Disposition: " + disposition + "\r\n")
	if contentType != "" {
		b.WriteString("Content-Type: " + contentType + "\r\n")
	}
	b.WriteString("\r\n" + content + "\r\n--" + boundary + "--\r\n")
	return b.String(), "multipart/form-data; boundary=" + boundary
}

// Decode decodes a JSON response.
func Decode(t *testing.T, body string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
}

// Settings contains the settings of a source or provider by JSON name.
type Settings map[string]any

// JSON returns a value as JSON, for messages and bodies.
func JSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
