package uploads

import (
	"context"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var cutBytes = flag.Int64("uploads.bytes", 40<<20, "size in bytes of the interrupted multipart upload, in parts of 16 MiB")

// TestInterruptedUploadResumes: during a multipart upload, connections to the bucket are closed ten times at random
// points, and the server restarts twice, the first time after kill -9. The file becomes COMPLETED with the correct
// count, and at most the size of ten parts is sent twice. The test counts bytes instead of requests, because the bytes
// sent before a connection was closed are sent again, and a restart interrupts up to four parts.
func TestInterruptedUploadResumes(t *testing.T) {
	t.Parallel()
	const cuts, restarts = 10, 2
	s := system.StartServer(t, t.TempDir())
	text := system.Repeat(41, *cutBytes)
	wire := cutWire(t, s.S3, text.Size, cuts, restarts)
	c, err := client.New(client.Config{Server: s.HTTP, OwnerID: system.NewOwner(), Patience: 2 * time.Minute, HTTP: &http.Client{Transport: wire}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute+time.Duration(text.Size/(2<<20))*time.Second)
	defer cancel()
	began := time.Now()
	var file client.File
	ended := make(chan error, 1)
	go func() {
		var err error
		file, err = c.Upload(ctx, text.InParts("cut.txt", ""))
		ended <- err
	}()
	for restart := range restarts {
		select {
		case <-wire.restart:
		case err := <-ended:
			t.Fatalf("the upload ended before restart %d: %v", restart, err)
		}
		if restart == 0 {
			s.Program.Kill(t)
		} else if status := s.Program.Interrupt(t); status != 0 {
			t.Errorf("the interrupted server exited with %d, want 0", status)
		}
		s.Restart(t)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	if file, err = c.Wait(ctx, file.FileID); err != nil {
		t.Fatal(err)
	}
	system.CheckResult(t, file, text.Count())
	total, parts, again, left := wire.sum()
	if left > 0 {
		t.Errorf("%d of %d connections were not closed, want all closed", left, cuts)
	}
	t.Logf("%d bytes in %d parts in %s; %d bytes sent twice, the size of %.1f parts, by %d requests",
		text.Size, parts, took, total-text.Size, float64(total-text.Size)/partSize, again)
	if twice := total - text.Size; twice > cuts*partSize {
		t.Errorf("%d bytes were sent twice, want at most the size of %d parts", twice, cuts)
	}
}

// wire is a transport that closes connections to the bucket after given numbers of bytes of parts.
type wire struct {
	http.RoundTripper
	restart chan struct{} // receives a value when the server must restart

	mu       sync.Mutex
	sent     int64          // number of bytes of parts
	requests map[string]int // number of requests by part, except those that sent no bytes
	cuts     []int64        // numbers of bytes after which a connection is closed, ascending
	restarts []int64        // numbers of bytes after which the server restarts
}

func cutWire(t *testing.T, bucket string, size int64, cuts, restarts int) *wire {
	t.Helper()
	target, err := url.Parse(bucket)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(system.LoadSeed(), 3))
	w := &wire{restart: make(chan struct{}, restarts), requests: map[string]int{}}
	for range cuts {
		w.cuts = append(w.cuts, random.Int64N(size))
	}
	slices.Sort(w.cuts)
	for i := range restarts {
		w.restarts = append(w.restarts, size*int64(i+1)/int64(restarts+1))
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil || address != target.Host {
			return conn, err
		}
		return &cutConn{conn, w}, nil
	}
	w.RoundTripper = system.Checked(transport)
	return w
}

// RoundTrip counts the bytes of parts.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if number := r.URL.Query().Get("partNumber"); number != "" {
		r = r.Clone(r.Context())
		r.Body = &counted{r.Body, w, number, false}
	}
	return w.RoundTripper.RoundTrip(r)
}

// sum returns the number of bytes sent, the number of parts, the number of requests that repeated a part, and the number
// of connections still to be closed.
func (w *wire) sum() (sent int64, parts, again, left int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.requests {
		again += n - 1
	}
	return w.sent, len(w.requests), again, len(w.cuts)
}

// counted counts the bytes of a part.
type counted struct {
	io.ReadCloser
	wire   *wire
	number string
	begun  bool
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	c.wire.sent += int64(n)
	if n > 0 && !c.begun {
		c.begun = true
		c.wire.requests[c.number]++
	}
	if len(c.wire.restarts) > 0 && c.wire.sent >= c.wire.restarts[0] {
		c.wire.restarts = c.wire.restarts[1:]
		c.wire.restart <- struct{}{}
	}
	return n, err
}

// cutConn is a connection to the bucket.
type cutConn struct {
	net.Conn
	wire *wire
}

var errWireCut = errors.New("the test closed the connection")

// Write closes the connection, instead of writing, if the next number of bytes has been sent.
func (c *cutConn) Write(p []byte) (int, error) {
	c.wire.mu.Lock()
	cut := len(c.wire.cuts) > 0 && c.wire.sent >= c.wire.cuts[0]
	if cut {
		c.wire.cuts = c.wire.cuts[1:]
	}
	c.wire.mu.Unlock()
	if cut {
		return 0, errors.Join(errWireCut, c.Close())
	}
	return c.Conn.Write(p)
}
