package operation

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// send sends a request with a Host, unless it is empty, and with headers in pairs of name and value. It returns the
// response and its body.
func send(t *testing.T, method, address, host, body string, header ...string) (*http.Response, string) {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return sendTo(t, at.Host, method, address, host, body, header...)
}

// sendTo is like send, but connects to addr regardless of the URL.
func sendTo(t *testing.T, addr, method, address, host, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(system.Within(t), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		r.Host = host
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatalf("%s %s with host %q: %v", method, address, host, err)
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(content)
}

// TestForeignPages: a page of another origin cannot use the server, either directly or by DNS rebinding; pages of
// configured hosts can.
func TestForeignPages(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir(), "ASSAY_PUBLIC_HOSTS=assay.example, proxy", "ASSAY_S3_PUBLIC_ENDPOINT=http://files.example")
	t.Run("another host is misdirected", func(t *testing.T) { anotherHostIsMisdirected(t, s.System) })
	t.Run("another origin cannot read or write", func(t *testing.T) { anotherOriginGetsNothing(t, s.System) })
	t.Run("the page reaches S3", func(t *testing.T) { thePageReachesS3(t, s) })
	t.Run("NATS speaks no HTTP", func(t *testing.T) { natsSpeaksNoHTTP(t, s.System) })
}

const listTables = "DynamoDB_20120810.ListTables"

func anotherHostIsMisdirected(t *testing.T, s system.System) {
	for _, port := range []struct {
		name, method, address string
		header                []string
		allowed, refused      []string
	}{
		{"API", http.MethodGet, s.HTTP + "/v1/feed/summary", nil, []string{"assay.example", "proxy:8080"}, []string{"files.example"}},
		{"page", http.MethodGet, s.HTTP + "/", nil, []string{"assay.example:443"}, nil},
		{"metrics", http.MethodGet, s.Operator + "/metrics", nil, []string{"assay.example:443"}, nil},
		{"operator", http.MethodGet, s.Operator + "/v1/dead", nil, []string{"assay.example"}, []string{"files.example"}},
		{"DynamoDB", http.MethodPost, s.DynamoDB, []string{"X-Amz-Target", listTables}, []string{"assay.example"}, []string{"files.example"}},
		{"S3", http.MethodGet, s.S3 + "/" + s.Bucket, nil, []string{"assay.example", "files.example"}, nil},
	} {
		for _, host := range append(port.allowed, "localhost", "127.0.0.1:1", "[::1]:80", "LOCALHOST.") {
			if resp, body := send(t, port.method, port.address, host, "{}", port.header...); resp.StatusCode == http.StatusMisdirectedRequest {
				t.Errorf("%s with host %s: 421 %s, want it accepted", port.name, host, body)
			}
		}
		for _, host := range append(port.refused, "evil.example", "evil.example:8080", "localhost.evil.example", "10.9.8.7", "0.0.0.0", "evil.assay.example") {
			resp, body := send(t, port.method, port.address, host, "{}", port.header...)
			if resp.StatusCode != http.StatusMisdirectedRequest || !strings.Contains(body, host) || !strings.Contains(body, "ASSAY_PUBLIC_HOSTS") {
				t.Errorf("%s with host %s: %s %s, want 421 with the host and ASSAY_PUBLIC_HOSTS", port.name, host, resp.Status, body)
			}
		}
	}
}

// evil is the origin of a foreign page.
const evil = "http://evil.example"

func anotherOriginGetsNothing(t *testing.T, s system.System) {
	object := s.S3 + "/" + s.Bucket + "/files/a/b"
	for _, ask := range []struct {
		method, address string
		status          int // 0 for any: a page can send the request but not read the response
		header          []string
	}{
		{http.MethodGet, s.HTTP + "/v1/feed/summary", 0, nil},
		{http.MethodPost, s.HTTP + "/v1/feed/items", 403, nil},
		{http.MethodOptions, s.HTTP + "/v1/feed/items", 405, []string{"Access-Control-Request-Method", "POST"}},
		{http.MethodGet, s.Operator + "/v1/dead", 0, nil},
		{http.MethodPost, s.Operator + "/v1/dead/replay", 403, nil},
		{http.MethodPost, s.DynamoDB, 400, []string{"X-Amz-Target", listTables}},
		{http.MethodPost, s.DynamoDB, 400, []string{"X-Amz-Target", listTables, "Origin", "null"}},
		{http.MethodOptions, s.DynamoDB, 400, []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-amz-target"}},
		{http.MethodGet, object, 403, nil},
		{http.MethodPut, object, 403, nil},
		{http.MethodOptions, object, 403, []string{"Access-Control-Request-Method", "PUT"}},
	} {
		resp, body := send(t, ask.method, ask.address, "", "{}", append([]string{"Origin", evil, "Sec-Fetch-Site", "cross-site"}, ask.header...)...)
		if ask.status != 0 && resp.StatusCode != ask.status || strings.Contains(body, "TableNames") {
			t.Errorf("%s %s: %s %s, want status %d (0: any) and no tables", ask.method, ask.address, resp.Status, body, ask.status)
		}
		if allowed := resp.Header.Get("Access-Control-Allow-Origin"); allowed != "" {
			t.Errorf("%s %s: Access-Control-Allow-Origin is %q, want none", ask.method, ask.address, allowed)
		}
	}
}

// thePageReachesS3: presigned uploads use the public host of S3, which allows only the page's own origins.
func thePageReachesS3(t *testing.T, s *system.Server) {
	c := s.Client(t, system.NewOwner())
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.HTTP, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	addr := strings.TrimPrefix(s.S3, "http://")
	for origin, allowed := range map[string]bool{
		s.HTTP: true, "http://localhost:" + port: true, "https://assay.example": true, "http://assay.example": true, "https://proxy": true,
		evil: false, "http://localhost:1": false, "https://localhost": false, "http://files.example": false, "null": false, "https://sub.assay.example": false,
	} {
		file := system.Reserve(t, c, "page.txt", "text/plain", "from a page")
		if !strings.HasPrefix(file.Upload.URL, "http://files.example/") {
			t.Fatalf("the URL of the upload is %s, want one of http://files.example", file.Upload.URL)
		}
		header := []string{"Origin", origin}
		for name, value := range file.Upload.Headers {
			header = append(header, name, value)
		}
		preflight, _ := sendTo(t, addr, http.MethodOptions, file.Upload.URL, "", "", "Origin", origin, "Access-Control-Request-Method", "PUT", "Access-Control-Request-Headers", "content-type")
		put, body := sendTo(t, addr, http.MethodPut, file.Upload.URL, "", "from a page", header...)
		if put.StatusCode != http.StatusOK { // the signature suffices, regardless of the origin
			t.Errorf("PUT from %s: %s %s, want 200", origin, put.Status, body)
		}
		for _, resp := range []*http.Response{preflight, put} {
			got := resp.Header.Get("Access-Control-Allow-Origin")
			if allowed && got != origin || !allowed && got != "" {
				t.Errorf("%s from %s: Access-Control-Allow-Origin is %q, want allowed = %t", resp.Request.Method, origin, got, allowed)
			}
		}
		if file := system.Await(t, c, file.FileID); file.Status != client.Completed {
			t.Errorf("the file uploaded from %s is %s, want %s", origin, file.Status, client.Completed)
		}
	}
}

// natsSpeaksNoHTTP: NATS closes the connection of an HTTP request before it reads a line of the body.
func natsSpeaksNoHTTP(t *testing.T, s system.System) {
	heard := s.Listen(t, "page.>")
	_, addr, _ := strings.Cut(s.NATS, "@")
	for _, request := range []string{
		"POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Type: text/plain\r\nContent-Length: 60\r\n\r\nCONNECT {}\r\nPUB page.posted 1\r\nx\r\nPING\r\n",
		"PUT / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 60\r\n\r\nCONNECT {}\r\nPUB page.put 1\r\nx\r\nPING\r\n",
		"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(bufio.NewReader(conn)) // until the server closes the connection
		if bytes.Contains(answer, []byte("PONG")) || bytes.Contains(answer, []byte("101 Switching")) || !bytes.Contains(answer, []byte("-ERR")) && err == nil {
			t.Errorf("NATS responded to %q with %q, %v; want -ERR or an error", request, answer, err)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := s.Events(t).Publish("page.last", nil); err != nil {
		t.Fatal(err)
	}
	if msg := system.Next(t, heard); msg.Subject != "page.last" {
		t.Errorf("got a message on %s, want only page.last", msg.Subject)
	}
}

// TestBeyondLoopback: if anonymous callers are allowed, the server can listen on all addresses, and the addresses in
// endpoints.json work on this machine.
func TestBeyondLoopback(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &system.Server{Dir: dir, Env: []string{
		"ASSAY_ALLOW_ANONYMOUS=true", "ASSAY_ADDR=:0", "ASSAY_OPERATOR_ADDR=[::]:0", "ASSAY_NATS_ADDR=0.0.0.0:0", "ASSAY_S3_ADDR=0.0.0.0:0", "ASSAY_DYNAMODB_ADDR=0.0.0.0:0",
	}}
	s.Restart(t)
	for _, at := range []string{s.HTTP, s.Operator, s.S3, s.DynamoDB, s.NATS} {
		if address, err := url.Parse(at); err != nil || address.Hostname() != "127.0.0.1" {
			t.Errorf("an endpoint is %s, error %v, want one on 127.0.0.1", at, err)
		}
	}
	c := s.Client(t, system.NewOwner())
	system.CheckResult(t, system.Await(t, c, system.UploadMultipart(t, c, "a.txt", "text/plain", []byte("all around")).FileID), system.Count("all around"))
	if _, err := s.Objects().ListBuckets(system.Within(t), &s3.ListBucketsInput{}); err != nil {
		t.Error(err)
	}
	if resp, body := send(t, http.MethodGet, s.HTTP+"/healthz", "evil.example", ""); resp.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("a request for another host: %s %s, want 421", resp.Status, body)
	}
}
