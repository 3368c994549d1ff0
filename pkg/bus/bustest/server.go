// Package bustest runs a real NATS server inside a test, and connects the product's buses to
// it.
package bustest

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// ready limits the wait for the listener.
const ready = 30 * time.Second

// Start starts a NATS server with JetStream on file storage on a free loopback port and returns
// its URL. The server stops when tb ends, after the cleanups registered later.
func Start(tb testing.TB) string { return StartWith(tb, server.Options{}) }

// StartWith is like Start, with custom limits, such as JetStreamMaxStore.
func StartWith(tb testing.TB, opts server.Options) string {
	tb.Helper()
	url, stop, err := Serve(tb.TempDir(), opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(stop)
	return url
}

// Serve starts a server for a TestMain, which has no testing.TB. The server stores its data in
// dir and runs until stop is called.
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
