package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/services/assay/embedded"
)

const accessKey, secretKey, region = "assay", "chaos-secret", "us-east-1"

const nodes = 3

// ready limits the start of a node, the election of a leader, and the exit of a service.
const ready = 60 * time.Second

// engines contains a NATS cluster, an S3 server behind a proxy that injects faults, and
// DynamoDB with its own fault injection.
type engines struct {
	t        *testing.T
	options  [nodes]server.Options
	mu       sync.Mutex
	nats     [nodes]*server.Server
	js       jetstream.JetStream
	dynamo   *dynamolite.Engine
	dynamoDB string
	s3       *brokenS3
}

func startEngines(t *testing.T) *engines {
	t.Helper()
	e := &engines{t: t}
	var clients, routes [nodes]int
	for i := range nodes {
		clients[i], routes[i] = freePort(t), freePort(t)
	}
	var peers []*url.URL
	for i := range nodes {
		peers = append(peers, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", routes[i])})
	}
	for i := range nodes {
		e.options[i] = server.Options{
			ServerName: fmt.Sprintf("n%d", i), Host: "127.0.0.1", Port: clients[i], NoLog: true, NoSigs: true,
			JetStream: true, StoreDir: t.TempDir(), SyncAlways: true, Routes: peers,
			// NoAdvertise: clients use only the configured addresses.
			Cluster: server.ClusterOpts{Name: "chaos", Host: "127.0.0.1", Port: routes[i], NoAdvertise: true},
		}
		e.startNode(i)
	}
	t.Cleanup(func() {
		for i := range nodes {
			e.stopNode(i)
		}
	})
	conn, err := nats.Connect(strings.Join(e.natsURLs(), ","), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if e.js, err = jetstream.New(conn); err != nil {
		t.Fatal(err)
	}
	eventually(t, "elect a leader", func(ctx context.Context) error {
		_, err := e.js.AccountInfo(ctx)
		return err
	})
	e.startStores()
	return e
}

// startStores starts DynamoDB and S3.
func (e *engines) startStores() {
	t := e.t
	var err error
	if e.dynamo, err = dynamolite.Open(dynamolite.Options{Path: t.TempDir() + "/dynamodb.db"}); err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(e.dynamo)
	e.dynamoDB = front.URL
	t.Cleanup(func() {
		front.Close()
		if err := e.dynamo.Close(); err != nil {
			t.Error(err)
		}
	})
	s3, err := embedded.StartS3(t.Context(), embedded.S3Config{Dir: t.TempDir(), AccessKey: accessKey, SecretKey: secretKey, Created: e.created})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s3.Close(); err != nil {
			t.Error(err)
		}
	})
	e.s3 = newBrokenS3(t, s3.URL())
}

// freePort returns a port below the ephemeral range, so that no outgoing connection uses
// it while a node is down.
func freePort(t *testing.T) int {
	t.Helper()
	for range 1000 {
		port := 20000 + rand.IntN(10000)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_ = l.Close() // only a probe
			return port
		}
	}
	t.Fatal("no free port")
	return 0
}

func (e *engines) natsURLs() []string {
	var urls []string
	for i := range nodes {
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", e.options[i].Port))
	}
	return urls
}

func (e *engines) startNode(i int) {
	options := e.options[i]
	srv, err := server.NewServer(&options)
	if err != nil {
		e.t.Errorf("node %d: %v", i, err)
		return
	}
	srv.Start()
	if !srv.ReadyForConnections(ready) {
		e.t.Errorf("node %d is not ready for connections after %s", i, ready)
	}
	e.mu.Lock()
	e.nats[i] = srv
	e.mu.Unlock()
}

func (e *engines) stopNode(i int) {
	e.mu.Lock()
	srv := e.nats[i]
	e.nats[i] = nil
	e.mu.Unlock()
	if srv != nil {
		srv.Shutdown()
		srv.WaitForShutdown()
	}
}

// created sends the bucket notification. A notification that cannot be sent is lost, as
// can happen in the cloud.
func (e *engines) created(ctx context.Context, o embedded.Object) error {
	if !strings.HasPrefix(o.Key, "files/") {
		return nil
	}
	type named map[string]string
	notice, err := json.Marshal(map[string]any{"detail": map[string]any{"bucket": named{"name": o.Bucket}, "object": named{"key": o.Key}}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err = e.js.Publish(ctx, "s3.notice", notice)
	return err
}

// brokenS3 is an S3 server that fails or delays requests with given probabilities.
type brokenS3 struct {
	url string

	mu         sync.Mutex
	random     *rand.Rand
	fail, slow float64 // probabilities
}

func newBrokenS3(t *testing.T, target string) *brokenS3 {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	b := &brokenS3{random: rand.New(rand.NewPCG(1, 1))}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host },
		FlushInterval: -1,
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		before, after, slow := b.random.Float64() < b.fail/2, b.random.Float64() < b.fail/2, b.random.Float64() < b.slow
		b.mu.Unlock()
		if slow {
			w = slowWriter{w}
		}
		switch {
		case before:
			w.WriteHeader(http.StatusServiceUnavailable)
		case after: // the request takes effect, but the response reports a failure
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			w.WriteHeader(http.StatusInternalServerError)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(front.Close)
	b.url = front.URL
	return b
}

func (b *brokenS3) set(fail, slow float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fail, b.slow = fail, slow
}

// slowWriter writes a body in pieces of 512 bytes, with a pause before each.
type slowWriter struct{ http.ResponseWriter }

func (s slowWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s slowWriter) Write(b []byte) (int, error) {
	written := 0
	for len(b) > 0 {
		<-time.After(20 * time.Millisecond)
		n, err := s.ResponseWriter.Write(b[:min(len(b), 512)])
		written += n
		if err != nil {
			return written, err
		}
		b = b[n:]
	}
	return written, nil
}

// eventually calls try until it succeeds, and fails the test if it does not.
func eventually(t *testing.T, what string, try func(context.Context) error) {
	t.Helper()
	deadline := time.Now().Add(ready)
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		err := try(ctx)
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(deadline) || errors.Is(t.Context().Err(), context.Canceled) {
			t.Fatalf("cannot %s: %v", what, err)
		}
		<-time.After(50 * time.Millisecond)
	}
}
