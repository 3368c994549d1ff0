package dynamolite_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
)

// TestRejectsOtherHostsAndOrigins checks that a request to another host, as after DNS rebinding, and
// a cross-origin request are rejected.
func TestRejectsOtherHostsAndOrigins(t *testing.T) {
	engine, err := dynamolite.Open(dynamolite.Options{Hosts: []string{"dynamodb"}, HostsSetting: "-hosts"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	}()
	server := httptest.NewServer(engine)
	defer server.Close()
	send := func(method, host, target, origin string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(context.Background(), method, server.URL, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		for name, value := range map[string]string{"X-Amz-Target": target, "Origin": origin} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var body strings.Builder
		if err := w.Write(&body); err != nil {
			t.Fatal(err)
		}
		return w.StatusCode, body.String()
	}
	const list = "DynamoDB_20120810.ListTables"
	for host, want := range map[string]int{
		"localhost": 200, "127.0.0.1:1": 200, "[::1]": 200, "DynamoDB:8000": 200, "dynamodb.": 200,
		"evil.example": 421, "dynamodb.evil.example": 421, "10.9.8.7": 421, "0.0.0.0": 421,
	} {
		for _, request := range []struct{ method, target string }{{http.MethodPost, list}, {http.MethodGet, ""}} {
			status, body := send(request.method, host, request.target, "")
			if status != want || status == 421 && (!strings.Contains(body, "MisdirectedRequestException") || !strings.Contains(body, "-hosts")) {
				t.Errorf("%s with host %s: got status %d %s, want %d", request.method, host, status, body, want)
			}
		}
	}
	for origin, want := range map[string]int{"": 200, "http://localhost": 200, "http://evil.example": 400, "null": 400} {
		if status, body := send(http.MethodPost, "localhost", list, origin); status != want || want == 400 && !strings.Contains(body, "AccessDeniedException") {
			t.Errorf("origin %q: got status %d %s, want %d, with AccessDeniedException for 400", origin, status, body, want)
		}
	}
}
