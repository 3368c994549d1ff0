package table

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// late is a transport that reads a request's body only after the caller has closed it.
type late struct {
	t    *testing.T
	file *os.File
}

func (l late) Do(r *http.Request) (*http.Response, error) {
	if err := l.file.Close(); err != nil {
		l.t.Error(err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || string(body) != "the request" {
		l.t.Errorf("got body %q, error %v, want the request", body, err)
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(""))}, nil
}

func TestBodyIsReadAfterTheCallerClosedIt(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err == nil {
		_, err = file.WriteString("the request")
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1", file)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := wholeBody{late{t, file}}.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
}
