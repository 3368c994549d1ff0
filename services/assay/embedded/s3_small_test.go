package embedded

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/assay-project/assay/pkg/web"
)

// TestS3LimitsMemoryOfSmallBodies sends bodies that the gateway buffers while all of the memory is in
// use, and again after it was released.
func TestS3LimitsMemoryOfSmallBodies(t *testing.T) {
	bodies := web.NewBodies(10 << 20)
	client := startS3(t, S3Config{Dir: t.TempDir(), bodies: bodies})
	endpoint := aws.ToString(client.Options().BaseEndpoint)
	put(t, client, "a", "stored")
	all := bodies.Hold()
	if err := all.Grow(t.Context(), 10<<20); err != nil {
		t.Fatal(err)
	}
	for request, status := range map[string]int{
		"POST /files?delete":       503,
		"POST /files/a?uploadId=1": 503,
		"PUT /files?policy":        503,
		"PUT /files/a?tagging":     503,
		"PUT /files/a HTTP/1.1\r\nX-Amz-Copy-Source: /files/b": 503,
		"PUT /files/a": 403, // rejected because it is not signed
	} {
		got := answerTo(t, endpoint, request, 100, strings.Repeat("x", 100))
		if refused := got.Header.Get("Retry-After") != ""; got.StatusCode != status || refused != (status == 503) {
			t.Errorf("%s: got %d with %v, want %d, and Retry-After only with 503", request, got.StatusCode, got.Header, status)
		}
	}
	put(t, client, "b", "streams") // objects are streamed and do not use this memory
	all.Release()
	_, err := client.DeleteObjects(t.Context(), &s3.DeleteObjectsInput{
		Bucket: aws.String(testBucket), Delete: &types.Delete{Objects: []types.ObjectIdentifier{{Key: aws.String("a")}}},
	})
	if err != nil {
		t.Error(err)
	}
	if got := answerTo(t, endpoint, "POST /files?delete", s3MaxSmall+1, strings.Repeat("x", s3MaxSmall+1)); got.StatusCode != 400 {
		t.Errorf("body above the limit: got %d, want 400", got.StatusCode)
	}
	if err := bodies.Hold().Grow(t.Context(), 10<<20); err != nil {
		t.Errorf("grow to the whole memory after all requests: %v", err)
	}
}

// answerTo sends a request line, optionally with header lines, and a body.
func answerTo(t *testing.T, endpoint, request string, length int, body string) *http.Response {
	t.Helper()
	if !strings.Contains(request, "HTTP/") {
		request += " HTTP/1.1"
	}
	conn := dial(t, endpoint, fmt.Sprintf("%s\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", request, length))
	go func() { _, _ = io.WriteString(conn, body) }() // the server may close the connection before it has received everything
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	answer.Body.Close()
	return answer
}
