// Package wire implements a proxy between one process and its engines. The proxy
// calls a Hook at every call of the process to DynamoDB, S3 and NATS, and can
// permanently disconnect the process at any of them. As after a crash, the process
// then has no further effect, even if its code still runs.
package wire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Moment is one of the two moments of a call at which the process can crash.
type Moment string

// The moments.
const (
	Before Moment = "before" // before the engine has received it
	After  Moment = "after"  // after it took effect, before the process has received the response
)

// Call is a call to an engine.
type Call struct {
	Engine string // dynamodb, s3 or nats
	Name   string // the same for all calls of a kind, such as "PutItem" or "publish assay.file.uploaded"
}

func (c Call) String() string { return c.Engine + " " + c.Name }

// Changes reports whether the call can change state that survives a crash, or delivers a message to
// the process. Other calls are reads and polls: a crash at one leaves the same state as a crash
// after the last change, and their number depends on the machine.
func (c Call) Changes() bool {
	reads := map[string][]string{ // words in the names of calls
		"dynamodb": {"BatchGetItem", "DescribeStream", "DescribeTable", "GetItem", "GetRecords", "GetShardIterator", "Query", "Scan"},
		"s3":       {"GET", "HEAD", "list"},
		"nats":     {"pull", "+WPI", "INFO", "NAMES", "LIST", "GET"},
	}[c.Engine]
	words := strings.FieldsFunc(c.Name, func(r rune) bool { return r == ' ' || r == '.' })
	return !slices.ContainsFunc(words, func(word string) bool { return slices.Contains(reads, word) })
}

// Hook is called at every moment of every call, never concurrently, and reports whether the
// process crashes then. It must not use the Wire.
type Hook func(Call, Moment) (dies bool)

// Engines contains the URLs of the engines.
type Engines struct{ NATS, DynamoDB, S3 string }

// Wire is the network of one process. The caller ends it with Cut.
type Wire struct {
	engines Engines
	through Engines
	hook    Hook

	done chan struct{}

	mu      sync.Mutex
	cut     bool
	closers []io.Closer
	conns   map[net.Conn]struct{}
	pool    *http.Transport
}

// errCut is the error of a call after the wire was cut.
var errCut = errors.New("the wire is cut")

// New starts the proxies of a process to the engines.
func New(engines Engines, hook Hook) (*Wire, error) {
	w := &Wire{
		engines: engines, hook: hook, conns: map[net.Conn]struct{}{}, done: make(chan struct{}),
		pool: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
	}
	err := errors.Join(
		w.listenHTTP("dynamodb", engines.DynamoDB, nameDynamoDB, &w.through.DynamoDB),
		w.listenHTTP("s3", engines.S3, nameS3, &w.through.S3),
		w.listenNATS(),
	)
	if err != nil {
		w.Cut()
		return nil, err
	}
	return w, nil
}

// Engines returns the addresses under which the process reaches the engines.
func (w *Wire) Engines() Engines { return w.through }

// Front forwards connections of clients to addr, the address on which the process
// listens. It returns the address for the clients.
func (w *Wire) Front(addr string) (string, error) {
	return w.listen(func(client net.Conn) {
		server, err := net.DialTimeout("tcp", addr, dialWait)
		if err != nil || !w.keep(server) {
			return
		}
		defer w.drop(server)
		go func() {
			defer w.drop(client)
			_, _ = io.Copy(client, server) // either end may close at any time
		}()
		_, _ = io.Copy(server, client)
	})
}

// Done returns a channel that is closed once the wire is cut.
func (w *Wire) Done() <-chan struct{} { return w.done }

// IsCut reports whether the wire is cut. It waits for a cut in progress, whereas Done
// may still be open after the hook has returned true.
func (w *Wire) IsCut() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cut
}

// dialWait is the timeout of connecting to an engine on this machine.
const dialWait = 10 * time.Second

// Cut ends all traffic in both directions. Requests that an engine has already received
// still take effect.
func (w *Wire) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cutLocked()
}

func (w *Wire) cutLocked() {
	if w.cut {
		return
	}
	w.cut = true
	close(w.done)
	for _, c := range w.closers {
		_ = c.Close() // errors do not matter: nothing more is forwarded
	}
	for conn := range w.conns {
		_ = conn.Close()
	}
	w.pool.CloseIdleConnections()
}

// passes reports whether a call continues after this moment.
func (w *Wire) passes(call Call, at Moment) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.cut && w.hook(call, at) {
		w.cutLocked()
	}
	return !w.cut
}

// listen starts a listener that serves connections until the wire is cut. It returns
// the address of the listener.
func (w *Wire) listen(serve func(net.Conn)) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	w.mu.Lock()
	if w.cut {
		w.mu.Unlock()
		return "", errors.Join(errCut, l.Close())
	}
	w.closers = append(w.closers, l)
	w.mu.Unlock()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // the listener is closed
			}
			if w.keep(conn) {
				go func() {
					defer w.drop(conn)
					serve(conn)
				}()
			}
		}
	}()
	return l.Addr().String(), nil
}

// keep registers a connection to be closed by Cut, and returns true. If the wire is cut
// already, it closes the connection and returns false.
func (w *Wire) keep(conn net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		_ = conn.Close()
		return false
	}
	w.conns[conn] = struct{}{}
	return true
}

func (w *Wire) drop(conn net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, conn)
	_ = conn.Close()
}

// parse parses the address of an engine.
func parse(text string) (*url.URL, error) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" {
		return nil, fmt.Errorf("wire: %q is not the address of an engine", text)
	}
	return parsed, nil
}
