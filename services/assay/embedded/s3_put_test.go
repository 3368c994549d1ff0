package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/assay-project/assay/pkg/blob"
)

// partBytes is the part size of an upload.
const partBytes = 5 << 20

func storeAt(endpoint string) *blob.Store {
	return blob.New(aws.Config{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider(testKey, testSecret, ""),
	}, blob.Config{Endpoint: endpoint, Bucket: testBucket})
}

func contentOf(size int) []byte {
	content := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(content) // never fails
	return content
}

// TestPutStoresAnySize covers uploads in one request and in several parts, including retried requests.
func TestPutStoresAnySize(t *testing.T) {
	client := startS3(t, S3Config{})
	engine, err := url.Parse(aws.ToString(client.Options().BaseEndpoint))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	seen := map[string]bool{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(engine); r.Out.Host = r.In.Host }}
	unsteady := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fails := r.Method == http.MethodPut && (strings.HasSuffix(r.URL.Path, "/1") || r.URL.Query().Get("partNumber") == "3")
		mu.Lock()
		fails = fails && !seen[r.URL.String()]
		seen[r.URL.String()] = true
		mu.Unlock()
		if fails {
			_, _ = io.Copy(io.Discard, r.Body) // the client may have disconnected
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer unsteady.Close()
	bucket, direct := storeAt(unsteady.URL), storeAt(engine.String())
	for _, size := range []int{0, 1, partBytes - 1, partBytes, partBytes + 1, 3*partBytes + 7} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			content, key := contentOf(size), fmt.Sprintf("a/%d", size)
			put, err := bucket.Put(t.Context(), key, "text/plain", map[string]string{"a": "b"}, iotest.HalfReader(bytes.NewReader(content)))
			if err != nil {
				t.Fatal(err)
			}
			got, err := bucket.Head(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			if got.ETag != put.ETag || got.Size != put.Size || got.ContentType != put.ContentType || !maps.Equal(got.Metadata, put.Metadata) {
				t.Errorf("Head = %+v, want %+v as returned by Put", got, put)
			}
			body, err := bucket.Open(t.Context(), key, put.ETag)
			if err != nil {
				t.Fatal(err)
			}
			defer body.Close()
			if is, err := io.ReadAll(body); err != nil || !bytes.Equal(is, content) {
				t.Errorf("the bucket has %d bytes that differ from the %d bytes sent, %v", len(is), size, err)
			}
			// The engine may close the connection before it has read the body, which a proxy reports as 502.
			if _, err := direct.Put(t.Context(), key, "text/plain", nil, bytes.NewReader(content)); !errors.Is(err, blob.ErrExists) {
				t.Errorf("second Put: got %v, want %v", err, blob.ErrExists)
			}
			nothingUnfinished(t, client)
		})
	}
}

// TestFailedPutLeavesNothing checks that neither an object nor parts remain.
func TestFailedPutLeavesNothing(t *testing.T) {
	client := startS3(t, S3Config{})
	bucket := storeAt(aws.ToString(client.Options().BaseEndpoint))
	for _, size := range []int{0, 10, partBytes, 2*partBytes + 1} {
		body := io.MultiReader(bytes.NewReader(contentOf(size)), iotest.ErrReader(io.ErrUnexpectedEOF))
		if _, err := bucket.Put(t.Context(), "a", "text/plain", nil, body); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("Put of a body that fails after %d bytes: got %v, want %v", size, err, io.ErrUnexpectedEOF)
		}
		if _, err := bucket.Head(t.Context(), "a"); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("Head after a failed Put of %d bytes: got %v, want %v", size, err, blob.ErrNotFound)
		}
	}
	nothingUnfinished(t, client)
}

// TestConcurrentPuts checks that concurrent uploads do not mix their content.
func TestConcurrentPuts(t *testing.T) {
	bucket := storeAt(aws.ToString(startS3(t, S3Config{}).Options().BaseEndpoint))
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for round := range 2 {
				key := fmt.Sprintf("%d-%d", i, round)
				text := strings.Repeat(key+" ", (2*partBytes+i)/len(key))
				if _, err := bucket.Put(t.Context(), key, "text/plain", nil, strings.NewReader(text)); err != nil {
					t.Errorf("%s: %v", key, err)
					return
				}
				body, err := bucket.Open(t.Context(), key, "")
				if err != nil {
					t.Errorf("%s: %v", key, err)
					return
				}
				got, err := io.ReadAll(body)
				if err := errors.Join(err, body.Close()); err != nil || string(got) != text {
					t.Errorf("%s: the bucket has %d bytes that differ from the %d bytes sent, %v", key, len(got), len(text), err)
				}
			}
		})
	}
	group.Wait()
}

func nothingUnfinished(t *testing.T, client *s3.Client) {
	t.Helper()
	open, err := client.ListMultipartUploads(t.Context(), &s3.ListMultipartUploadsInput{Bucket: aws.String(testBucket)})
	if err != nil || len(open.Uploads) > 0 {
		t.Errorf("got %d unfinished uploads, %v, want none", len(open.Uploads), err)
	}
}
