package embedded

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/valyala/fasthttp"
)

// dial opens a connection to the server and sends text.
func dial(t *testing.T, endpoint, text string) net.Conn {
	t.Helper()
	at, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", at.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestS3ClosesStalledRequests checks that a client cannot hold a connection by sending half of a
// header, or a header without its body.
func TestS3ClosesStalledRequests(t *testing.T) {
	const moment = 50 * time.Millisecond
	client := startS3(t, S3Config{limits: s3Limits{clients: 8, perClient: 8, header: moment, body: moment, pause: moment}})
	endpoint := aws.ToString(client.Options().BaseEndpoint)
	for name, text := range map[string]string{
		"nothing":       "",
		"half a header": "PUT /files/a HTTP/1.1\r\nHost: x\r\n",
		"no body":       "PUT /files/a HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			conn := dial(t, endpoint, text)
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != http.StatusRequestTimeout {
				t.Errorf("got status %d, want %d", answer.StatusCode, http.StatusRequestTimeout)
			}
			if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("after the response: got %v, want EOF or a reset connection", err)
			}
		})
	}
}

// TestS3ClosesStalledBody checks that the server closes the connection of a client that stops in the
// middle of a body, that nothing is stored, and that the same request then works.
func TestS3ClosesStalledBody(t *testing.T) {
	dir := t.TempDir()
	client := startS3(t, S3Config{Dir: dir, limits: s3Limits{
		clients: 8, perClient: 8, header: time.Hour, body: time.Hour, pause: 200 * time.Millisecond,
	}})
	for name, r := range signWire(t, client, "a", "") {
		t.Run(name, func(t *testing.T) {
			var wire bytes.Buffer
			if err := r.build(t).Write(&wire); err != nil {
				t.Fatal(err)
			}
			conn := dial(t, r.url, wire.String()[:wire.Len()-len(r.body)/2])
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if answer.StatusCode != http.StatusBadRequest {
				t.Errorf("got status %d, want %d", answer.StatusCode, http.StatusBadRequest)
			}
			if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("after the response: got %v, want EOF or a reset connection", err)
			}
			if files := filesIn(t, dir); len(files) > 0 {
				t.Errorf("got the files %q, want none", files)
			}
			sendAll(t, r)
			if _, err := client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(testBucket), Key: aws.String("a")}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestS3ClosesBeforeItServes checks that close does not wait for a Serve that has not started, and
// that this Serve does not accept connections afterwards.
func TestS3ClosesBeforeItServes(t *testing.T) {
	public, err := listenS3("127.0.0.1", 0, s3Limits{})
	if err != nil {
		t.Fatal(err)
	}
	public.server = &fasthttp.Server{Handler: func(*fasthttp.RequestCtx) {}}
	closed := make(chan error, 1)
	go func() { closed <- public.close() }()
	if _, err := public.listener.Accept(); !errors.Is(err, net.ErrClosed) { // returns after close
		t.Fatalf("Accept: got %v, want %v", err, net.ErrClosed)
	}
	public.stopped <- public.server.Serve(public.listener)
	if err := <-closed; err != nil {
		t.Errorf("close: %v", err)
	}
}

// TestS3LimitsConnectionsPerClient checks that a connection above the limit is rejected and that
// the listener for the services is not affected.
func TestS3LimitsConnectionsPerClient(t *testing.T) {
	srv, err := StartS3(t.Context(), S3Config{
		Dir: t.TempDir(), AccessKey: testKey, SecretKey: testSecret,
		limits: s3Limits{clients: 4, perClient: 2, header: time.Minute, body: time.Minute, pause: time.Minute},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	half := "PUT /files/a HTTP/1.1\r\nHost: x\r\n"
	first, second := dial(t, srv.URL(), half), dial(t, srv.URL(), half)
	refused, err := http.ReadResponse(bufio.NewReader(dial(t, srv.URL(), "")), nil)
	if err != nil {
		t.Fatal(err)
	}
	refused.Body.Close()
	if refused.StatusCode != http.StatusTooManyRequests || refused.Header.Get("Retry-After") == "" {
		t.Errorf("third connection: got status %d with %v, want %d with Retry-After", refused.StatusCode, refused.Header, http.StatusTooManyRequests)
	}
	if _, err := s3Client(srv.OwnURL()).CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(testBucket)}); err != nil {
		t.Errorf("create a bucket on the listener for the services: %v", err)
	}
	// The server responds to a complete request and closes the connection.
	for _, conn := range []net.Conn{first, second} {
		if _, err := io.WriteString(conn, "Content-Length: 0\r\nConnection: close\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, conn); err != nil {
			t.Fatal(err)
		}
	}
	out, err := s3Client(srv.URL()).ListBuckets(t.Context(), &s3.ListBucketsInput{})
	if err != nil || len(out.Buckets) != 1 || !strings.HasPrefix(*out.Buckets[0].Name, testBucket) {
		t.Errorf("after the first connections: ListBuckets = %v, %v, want %s", out, err, testBucket)
	}
}

// TestS3ReportsABlockedPort occupies all connection slots of a server and then frees them.
func TestS3ReportsABlockedPort(t *testing.T) {
	srv, err := StartS3(t.Context(), S3Config{
		Dir: t.TempDir(), AccessKey: testKey, SecretKey: testSecret,
		limits: s3Limits{clients: 1, perClient: 2, header: time.Minute, body: time.Minute},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := srv.CheckPort(t.Context()); err != nil {
		t.Errorf("CheckPort with free connections: %v", err)
	}
	var held net.Conn
	for err = nil; err == nil; err = srv.CheckPort(t.Context()) { // the check may still occupy the slot
		held = dial(t, srv.URL(), "PUT /files/a HTTP/1.1\r\nHost: x\r\n")
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	for err := srv.CheckPort(t.Context()); err != nil; err = srv.CheckPort(t.Context()) {
		if t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
}
