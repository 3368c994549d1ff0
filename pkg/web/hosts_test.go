package web_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/web"
)

func TestHostsAllow(t *testing.T) {
	hosts, err := web.ParseHosts("Assay.Example", " ingest:8081", "", "192.0.2.7", "2001:db8::7")
	if err != nil {
		t.Fatal(err)
	}
	local := &net.TCPAddr{IP: net.ParseIP("10.1.2.3"), Port: 8080}
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost:8080": true, "localhost.": true, "bucket.localhost:9000": true,
		"127.0.0.1": true, "127.0.0.1:1": true, "127.9.9.9": true, "[::1]": true, "[::1]:8080": true, "[::ffff:127.0.0.1]:80": true,
		"assay.example": true, "ASSAY.example.:443": true, "ingest": true, "ingest:9": true, "192.0.2.7:80": true, "[2001:db8::7]": true,
		"10.1.2.3:8080": true, "[::ffff:10.1.2.3]": true, // the address that the client connected to
		"": false, ":8080": false, "10.1.2.4": false, "0.0.0.0": false, "[::]:8080": false, "0": false, "2130706433": false,
		"evil.example": false, "evil.example:8080": false, "evil.assay.example": false, "assay.example.evil": false,
		"localhost.evil.example": false, "127.0.0.1.evil.example": false, "evil@localhost": false, "localhost,evil.example": false,
	} {
		if got := hosts.Allow(host, local); got != want {
			t.Errorf("Allow(%q) = %t, want %t", host, got, want)
		}
	}
	if got := strings.Join(hosts.Names(), " "); got != "192.0.2.7 2001:db8::7 assay.example ingest" {
		t.Errorf("got names %s, want 192.0.2.7 2001:db8::7 assay.example ingest", got)
	}
	if (web.Hosts{}).Allow("10.1.2.3", nil) || !(web.Hosts{}).Allow("localhost:80", nil) {
		t.Error("the zero value must allow loopback, and nothing else")
	}
	for _, bad := range []string{"https://assay.example", "*.example", "http://", "assay.example/", "me@assay.example", ":80"} {
		if _, err := web.ParseHosts("good", bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%q: got error %v, want one that names it", bad, err)
		}
	}
}

// TestOtherHostsAreMisdirected checks that no address of a router serves a request for another
// host, as a page sends it after DNS rebinding.
func TestOtherHostsAreMisdirected(t *testing.T) {
	hosts, err := web.ParseHosts("assay.example")
	if err != nil {
		t.Fatal(err)
	}
	called := 0
	router := plain(web.Options{Log: zerolog.Nop(), Hosts: hosts}, "/x", func(http.ResponseWriter, *http.Request) { called++ })
	server := httptest.NewServer(router)
	defer server.Close()
	send := func(method, path, host string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(context.Background(), method, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return resp, read(t, resp.Body)
	}
	for _, path := range []string{"/x", "/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/nothing"} {
		method := http.MethodGet
		if path == "/x" {
			method = http.MethodPost
		}
		resp, body := send(method, path, "evil.example:8080")
		if resp.StatusCode != http.StatusMisdirectedRequest || resp.Header.Get("Content-Type") != "application/problem+json" ||
			!strings.Contains(body, `"urn:assay:problem:misdirected-request"`) || !strings.Contains(body, "ASSAY_PUBLIC_HOSTS") {
			t.Errorf("%s: got %s %s, want 421 misdirected-request", path, resp.Status, body)
		}
	}
	if called != 0 {
		t.Errorf("the handler was called %d times, want 0", called)
	}
	for _, host := range []string{"", "assay.example", "localhost:1"} { // net/http replaces an empty Host with the one of the URL
		if resp, body := send(http.MethodPost, "/x", host); resp.StatusCode != http.StatusOK {
			t.Errorf("%q: got %s %s, want 200", host, resp.Status, body)
		}
	}
}

func TestReachable(t *testing.T) {
	for addr, want := range map[string]string{
		":80": "127.0.0.1:80", "0.0.0.0:80": "127.0.0.1:80", "[::]:80": "127.0.0.1:80", "10.1.2.3:80": "10.1.2.3:80",
		"localhost:80": "localhost:80", "[::1]:80": "[::1]:80", "nowhere": "nowhere",
	} {
		if got := web.Reachable(addr); got != want {
			t.Errorf("Reachable(%s) = %s, want %s", addr, got, want)
		}
	}
}
