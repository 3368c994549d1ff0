package e2e

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

// ask sends an unusual request.
func (s system) ask(t *testing.T, method, path string, header map[string]string, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(within(t), method, s.HTTP+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		req.Header.Set(name, header[name])
	}
	return exchange(t, req)
}

// exchange returns the response and its body. It follows no redirect.
func exchange(t *testing.T, req *http.Request) (*http.Response, string) {
	t.Helper()
	resp, body, err := roundTrip(req)
	if err != nil {
		t.Fatalf("%s %s: %v", req.Method, req.URL, err)
	}
	return resp, body
}

func roundTrip(req *http.Request) (*http.Response, string, error) {
	plain := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := plain.Do(req)
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), errors.Join(err, resp.Body.Close())
}

// problem is a response in the form of RFC 9457.
type problem struct {
	Type, Title, Detail, Instance string
	Status                        int
	Errors                        []struct{ Field, Message string }
}

// refused checks that a response is the problem of this status and type.
func refused(t *testing.T, resp *http.Response, body string, status int, slug string) problem {
	t.Helper()
	var p problem
	if resp.StatusCode != status || json.Unmarshal([]byte(body), &p) != nil ||
		resp.Header.Get("Content-Type") != "application/problem+json" ||
		p.Type != "urn:assay:problem:"+slug || p.Status != status || p.Title == "" {
		t.Errorf("answer %d %s, want a problem %d %s: %s", resp.StatusCode, resp.Header.Get("Content-Type"), status, slug, body)
	}
	if id := resp.Header.Get("X-Request-Id"); id == "" || !strings.HasSuffix(p.Instance, id) {
		t.Errorf("instance %q does not name the request %q", p.Instance, id)
	}
	return p
}

// reserveAs reserves with a given request id.
func reserveAs(t *testing.T, s system, owner, requestID, name, text string) client.Reserved {
	t.Helper()
	resp, body := s.ask(t, http.MethodPost, "/v1/files", map[string]string{
		"X-Owner-Id": owner, "X-Request-Id": requestID, "Content-Type": "application/json",
	}, show(client.Reservation{FileName: name, Size: int64(len(text)), ContentType: "text/plain"}))
	var reserved client.Reserved
	if err := json.Unmarshal([]byte(body), &reserved); err != nil || resp.StatusCode != http.StatusCreated {
		t.Fatalf("reserve: %d %s", resp.StatusCode, body)
	}
	if got := resp.Header.Get("X-Request-Id"); got != requestID {
		t.Errorf("the answer has the request id %q instead of %q", got, requestID)
	}
	if got := resp.Header.Get("Location"); got != "/v1/files/"+reserved.FileID {
		t.Errorf("Location is %q", got)
	}
	return reserved
}

// form returns a multipart body with one part, and its content type.
func form(disposition, contentType, content string) (body, header string) {
	const boundary = "e2e-boundary"
	var b bytes.Buffer
	b.WriteString("--" + boundary + "\r\nContent-Disposition: " + disposition + "\r\n")
	if contentType != "" {
		b.WriteString("Content-Type: " + contentType + "\r\n")
	}
	b.WriteString("\r\n" + content + "\r\n--" + boundary + "--\r\n")
	return b.String(), "multipart/form-data; boundary=" + boundary
}

// decode decodes a JSON response.
func decode(t *testing.T, body string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
}
