package blob

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// bucket is an HTTP server that serves one object and injects faults.
type bucket struct {
	content []byte
	etag    string
	// fault may respond to a request itself, or return the number of bytes to send before the
	// connection is closed; -1 means all.
	fault func(w http.ResponseWriter, r *http.Request, request int) int

	mu     sync.Mutex
	ranges []string
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	b.ranges = append(b.ranges, r.Header.Get("Range"))
	request := len(b.ranges)
	b.mu.Unlock()
	limit := -1
	if b.fault != nil {
		limit = b.fault(w, r, request)
	}
	w.Header().Set("ETag", `"`+b.etag+`"`)
	if limit >= 0 {
		w = &breaking{w, limit}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b.content))
}

// breaking closes the connection when left bytes of the body have been written.
type breaking struct {
	http.ResponseWriter
	left int
}

func (b *breaking) Write(p []byte) (int, error) {
	n, err := b.ResponseWriter.Write(p[:min(len(p), b.left)])
	if b.left -= n; b.left == 0 {
		if err := http.NewResponseController(b.ResponseWriter).Flush(); err != nil {
			return n, err
		}
		panic(http.ErrAbortHandler)
	}
	return n, err
}

func (b *bucket) object(t *testing.T) Ranges {
	t.Helper()
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	store := New(aws.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""), HTTPClient: server.Client()},
		Config{Endpoint: server.URL, Bucket: "files"})
	return Ranges{Store: store, Key: "files/one", ETag: "e1", Size: int64(len(b.content))}
}

func newBucket(size int) *bucket {
	rng := rand.New(rand.NewPCG(1, 1))
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(rng.Uint32())
	}
	return &bucket{content: content, etag: "e1"}
}

func TestRangesReadToTheEnd(t *testing.T) {
	b := newBucket(300_000)
	object := b.object(t)
	for _, c := range []struct {
		at, end  int64
		requests int
	}{{0, 300_000, 1}, {0, 100_000, 3}, {299_999, 300_000, 1}, {150_000, 200_001, 3}, {300_000, 300_000, 0}, {1, 2_000_000, 1}} {
		b.ranges = nil
		stream := object.From(t.Context(), c.at, c.end)
		got, err := io.ReadAll(stream)
		if err != nil || !bytes.Equal(got, b.content[c.at:]) {
			t.Fatalf("from %d: got %d bytes, error %v, want %d bytes of the object", c.at, len(got), err, len(b.content[c.at:]))
		}
		if len(b.ranges) != c.requests {
			t.Errorf("from %d to %d: got requests for the ranges %v, want %d", c.at, c.end, b.ranges, c.requests)
		}
		if err := stream.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestRangesResumeAfterATruncatedBody(t *testing.T) {
	b := newBucket(300_000)
	rng := rand.New(rand.NewPCG(2, 2))
	b.fault = func(_ http.ResponseWriter, _ *http.Request, request int) int {
		if request%4 == 0 {
			return 0 // an empty body after three others
		}
		return 1 + rng.IntN(40_000)
	}
	object := b.object(t)
	got, err := io.ReadAll(object.From(t.Context(), 0, 200_000))
	if err != nil || !bytes.Equal(got, b.content) {
		t.Fatalf("got %d of %d bytes, error %v, want all", len(got), len(b.content), err)
	}
	if len(b.ranges) < 8 {
		t.Errorf("got only the ranges %v, want at least 8", b.ranges)
	}
}

func TestRangesGiveUp(t *testing.T) {
	for name, c := range map[string]struct {
		fault func(w http.ResponseWriter, r *http.Request, request int) int
		want  error
	}{
		"always empty": {func(http.ResponseWriter, *http.Request, int) int { return 0 }, io.ErrUnexpectedEOF},
		"replaced meanwhile": {func(_ http.ResponseWriter, r *http.Request, request int) int {
			if request > 1 {
				r.Header.Set("If-Match", `"another"`)
			}
			return -1
		}, ErrChanged},
		"deleted meanwhile": {func(w http.ResponseWriter, _ *http.Request, request int) int {
			if request > 1 {
				w.WriteHeader(http.StatusNotFound)
			}
			return -1
		}, ErrNotFound},
		"ranges ignored": {func(_ http.ResponseWriter, r *http.Request, _ int) int {
			r.Header.Del("Range")
			return -1
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBucket(100_000)
			b.fault = c.fault
			object := b.object(t)
			got, err := io.ReadAll(object.From(t.Context(), 0, 50_000))
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("got %d bytes, %v; want %v", len(got), err, c.want)
			}
		})
	}
}

// TestRangesKeepConnections checks that a reader that stops shortly before the end of its range
// leaves a reusable connection.
func TestRangesKeepConnections(t *testing.T) {
	b := newBucket(1 << 20)
	remotes := map[string]bool{}
	b.fault = func(_ http.ResponseWriter, r *http.Request, _ int) int {
		remotes[r.RemoteAddr] = true
		return -1
	}
	object := b.object(t)
	for at := int64(0); at < object.Size; at += 128 << 10 {
		stream := object.From(t.Context(), at, at+128<<10)
		if _, err := io.CopyN(io.Discard, stream, 100<<10); err != nil {
			t.Fatal(err)
		}
		if err := stream.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(remotes) != 1 {
		t.Errorf("got %d connections for consecutive reads, want 1", len(remotes))
	}
}
