// Package bustest runs a real NATS server inside a test, and connects the product's buses to
// it.
package bustest

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// ready bounds the wait for the listener.
const ready = 30 * time.Second

// Start starts a NATS server with JetStream on file storage at a free loopback
// port and returns its URL. It stops with tb, after cleanups that were
// registered later.
func Start(tb testing.TB) string { return StartWith(tb, server.Options{}) }

// StartWith is Start with custom limits, such as JetStreamMaxStore.
func StartWith(tb testing.TB, opts server.Options) string {
	tb.Helper()
	url, stop, err := Serve(tb.TempDir(), opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(stop)
	return url
}

// Serve is for a TestMain, which has no testing.TB: it stores in dir and runs
// until stop is called.
func Serve(dir string, opts server.Options) (url string, stop func(), err error) {
	opts.Host, opts.Port = "127.0.0.1", server.RANDOM_PORT
	opts.JetStream, opts.StoreDir = true, dir
	opts.NoLog, opts.NoSigs = true, true
	srv, err := server.NewServer(&opts)
	if err != nil {
		return "", nil, err
	}
	stop = func() {
		srv.Shutdown()
		srv.WaitForShutdown()
	}
	srv.Start()
	if !srv.ReadyForConnections(ready) {
		stop()
		return "", nil, errors.New("the NATS server is not listening")
	}
	return srv.ClientURL(), stop, nil
}
