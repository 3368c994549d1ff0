package backend_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/table"
)

const (
	limit           = 10 * time.Second
	completionLimit = 20 * limit
)

// pipes is an in-memory network with one server. It does not buffer: a write blocks until its data
// is read. It works in a synctest bubble.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }
func (p pipes) Close() error   { return nil }

// served runs test in a synctest bubble and passes it a client configuration. handle handles the
// requests of these clients, and must return when over is closed.
func served(t *testing.T, handle func(w http.ResponseWriter, r *http.Request, over <-chan struct{}), test func(*testing.T, aws.Config)) {
	synctest.Test(t, func(t *testing.T) {
		network := pipes{make(chan net.Conn), make(chan struct{})}
		var handling sync.WaitGroup
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			handling.Add(1)
			defer handling.Done()
			handle(w, r, network.done)
		})}
		ended := make(chan error)
		go func() { ended <- server.Serve(network) }()
		transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			client, server := net.Pipe()
			select {
			case network.conns <- server:
				return client, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}}
		test(t, aws.Config{
			Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""), HTTPClient: &http.Client{Transport: transport},
		})
		transport.CloseIdleConnections()
		close(network.done)
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		handling.Wait()
	})
}

// TestUnresponsiveDynamoDB checks that a request without a timely response is retried as often as
// other failed requests, and that the final error names the setting. Once the server responds, the
// clients work again.
func TestUnresponsiveDynamoDB(t *testing.T) {
	var silent, received atomic.Int64
	served(t, func(w http.ResponseWriter, _ *http.Request, over <-chan struct{}) {
		if received.Add(1); silent.Add(-1) >= 0 {
			for { // the response never ends
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				select {
				case <-time.After(limit / 3):
				case <-over:
					return
				}
			}
		}
		_, _ = io.WriteString(w, "{}")
	}, func(t *testing.T, base aws.Config) {
		cfg := table.Config{Endpoint: "http://server", Timeout: limit}
		db, streams := table.Connect(base, cfg), table.ConnectStreams(base, cfg)
		for name, c := range map[string]struct {
			attempts int64
			call     func(context.Context) error
		}{
			"tables": {6, func(ctx context.Context) error {
				_, err := db.ListTables(ctx, &dynamodb.ListTablesInput{})
				return err
			}},
			"streams": {3, func(ctx context.Context) error {
				_, err := streams.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{})
				return err
			}},
		} {
			silent.Store(c.attempts - 1)
			if err := c.call(t.Context()); err != nil {
				t.Errorf("%s: with a response to the last attempt: got error %v, want nil", name, err)
			}
			silent.Store(1000)
			received.Store(0)
			err := c.call(t.Context())
			late, isLate := errors.AsType[*table.TimeoutError](err)
			if !isLate || late.Limit != limit || !strings.Contains(err.Error(), "ASSAY_DYNAMODB_TIMEOUT") || received.Load() != c.attempts {
				t.Errorf("%s: after %d requests without a response: got error %v, want a TimeoutError after %d requests", name, received.Load(), err, c.attempts)
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit/2)
			received.Store(0)
			if err := c.call(ctx); !errors.Is(err, context.DeadlineExceeded) || received.Load() != 1 {
				t.Errorf("%s: after the caller's deadline: got error %v and %d requests, want DeadlineExceeded and 1", name, err, received.Load())
			}
			cancel()
			silent.Store(0)
			if err := c.call(t.Context()); err != nil {
				t.Errorf("%s: after the server has recovered: got error %v, want nil", name, err)
			}
		}
	})
}

// slow copies the given number of bytes several times. After each copy, it pauses for slightly less
// than the timeout.
func slow(to io.Writer, from io.Reader, times int, bytes int64) {
	for range times {
		if _, err := io.CopyN(to, from, bytes); err != nil {
			return
		}
		if w, ok := to.(http.ResponseWriter); ok {
			_ = http.NewResponseController(w).Flush()
		}
		<-time.After(limit - time.Millisecond)
	}
}

// zeros is an endless reader of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestUnresponsiveS3 is like TestUnresponsiveDynamoDB, for S3, where the timeout limits the time
// without progress.
func TestUnresponsiveS3(t *testing.T) {
	var received atomic.Int64
	served(t, func(w http.ResponseWriter, r *http.Request, over <-chan struct{}) {
		received.Add(1)
		switch _, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); {
		case key == "silent":
			<-over // does not read the body of an upload
		case key == "stops":
			w.Header().Set("Content-Length", "2")
			_, _ = io.WriteString(w, "1")
			_ = http.NewResponseController(w).Flush()
			<-over
		case key == "slow" && r.Method == http.MethodGet:
			w.Header().Set("Content-Length", "100")
			slow(w, zeros{}, 100, 1)
		case key == "slow":
			slow(io.Discard, r.Body, 2, 32<<10) // net/http sends the body in pieces of 32 KiB
		case r.Method == http.MethodPost && r.URL.Query().Has("uploads"):
			_, _ = io.WriteString(w, `<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>`)
		case r.Method == http.MethodPost:
			_, _ = io.Copy(io.Discard, r.Body)
			<-time.After(map[bool]time.Duration{true: completionLimit - time.Second, false: completionLimit + time.Second}[key == "large"])
			fmt.Fprintf(w, `<CompleteMultipartUploadResult><Key>%s</Key><ETag>"1"</ETag></CompleteMultipartUploadResult>`, key)
		default:
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("ETag", `"1"`)
		}
	}, func(t *testing.T, base aws.Config) {
		store := blob.New(base, blob.Config{Endpoint: "http://server", Bucket: "bucket", Timeout: limit})
		put := func(key string, size int) error {
			_, err := store.Put(t.Context(), key, "text/plain", nil, bytes.NewReader(make([]byte, size)))
			return err
		}
		read := func(key string, pause time.Duration) error {
			body, err := store.Open(t.Context(), key, "")
			if err != nil {
				return err
			}
			defer body.Close()
			for err == nil {
				_, err = body.Read(make([]byte, 10))
				<-time.After(pause)
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		for name, c := range map[string]struct {
			call     func() error
			setting  string // setting that the error names; empty on success
			attempts int64
		}{
			"no response":         {func() error { _, err := store.Head(t.Context(), "silent"); return err }, "ASSAY_S3_TIMEOUT", 3},
			"unread upload":       {func() error { return put("silent", 50_000) }, "ASSAY_S3_TIMEOUT", 3},
			"response stops":      {func() error { return read("stops", 0) }, "ASSAY_S3_TIMEOUT", 1}, // the SDK does not retry reads of the body
			"slow response":       {func() error { return read("slow", 0) }, "", 1},
			"slow reader":         {func() error { return read("slow", 10*limit) }, "", 1},
			"slow upload":         {func() error { return put("slow", 64<<10) }, "", 1},
			"slow completion":     {func() error { return put("large", 6<<20) }, "", 4}, // create, two parts, complete
			"completion too slow": {func() error { return put("endless", 6<<20) }, "20 times ASSAY_S3_TIMEOUT", 7},
			"recovered":           {func() error { _, err := store.Head(t.Context(), "other"); return err }, "", 1},
		} {
			received.Store(0)
			err := c.call()
			silence, isSilence := errors.AsType[*blob.SilenceError](err)
			if (c.setting == "") != (err == nil) || c.setting != "" && (!isSilence || silence.Setting != c.setting || !strings.Contains(err.Error(), c.setting)) {
				t.Errorf("%s: got error %v, want one that names %q (none if empty)", name, err, c.setting)
			}
			if received.Load() != c.attempts {
				t.Errorf("%s: got %d requests, want %d", name, received.Load(), c.attempts)
			}
		}
	})
}
