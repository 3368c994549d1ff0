package web_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/web"
)

// limitedServer is a server on a limited listener.
type limitedServer struct {
	*httptest.Server
	idle    chan struct{} // receives when a connection becomes idle
	held    chan struct{} // receives when a request for /hold has started
	release func()        // ends the requests for /hold
}

func serveLimited(t *testing.T, limiter *web.Limiter, encrypted bool) *limitedServer {
	t.Helper()
	released := make(chan struct{})
	s := &limitedServer{
		idle: make(chan struct{}, 64), held: make(chan struct{}, 64), release: sync.OnceFunc(func() { close(released) }),
	}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hold" {
			s.held <- struct{}{}
			<-released
		}
	}))
	s.Listener = web.LimitListener(s.Listener, limiter, web.ClientSpare)
	s.Config.ConnState = func(conn net.Conn, state http.ConnState) {
		web.TrackIdle(conn, state == http.StateIdle)
		if state == http.StateIdle {
			s.idle <- struct{}{}
		}
	}
	s.EnableHTTP2 = encrypted
	if encrypted {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(func() { s.release(); s.Close() })
	return s
}

// connect returns a client with its own connection, which it keeps.
func (s *limitedServer) connect(t *testing.T) *http.Client {
	t.Helper()
	transport := s.Client().Transport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// dial opens a connection that sends nothing.
func (s *limitedServer) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func (s *limitedServer) get(t *testing.T, client *http.Client, path string) int {
	t.Helper()
	answer, err := client.Get(s.URL + path) //nolint:noctx // the test's timeout applies
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

// TestFullListenerClosesTheLongestIdle: more keep-alive clients than the bound are served one after another; a new
// connection is rejected only while all others are active.
func TestFullListenerClosesTheLongestIdle(t *testing.T) {
	const bound, more = 3, 5
	for name, test := range map[string]struct {
		limiter   *web.Limiter
		encrypted bool
		refused   int
	}{
		"total":      {web.NewLimiter(bound, 100), false, http.StatusServiceUnavailable},
		"per client": {web.NewLimiter(100, bound), false, http.StatusTooManyRequests},
		"HTTP/2":     {web.NewLimiter(bound, 100), true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := serveLimited(t, test.limiter, test.encrypted)
			var clients []*http.Client
			for range bound + more {
				client := s.connect(t)
				clients = append(clients, client)
				if status := s.get(t, client, "/"); status != http.StatusOK {
					t.Fatalf("client %d: got status %d, want 200", len(clients), status)
				}
				<-s.idle
				if test.encrypted {
					<-s.idle // HTTP/2 connections are also idle before their first request
				}
			}
			if test.encrypted {
				return
			}
			done := make(chan int, bound)
			for _, client := range clients[more:] { // they still have connections
				go func() { done <- s.get(t, client, "/hold") }()
				<-s.held
			}
			refused := s.dial(t)
			answer, err := http.ReadResponse(bufio.NewReader(refused), nil)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != test.refused || answer.Header.Get("Retry-After") == "" {
				t.Errorf("while all are active: got status %d, header %v, want %d with Retry-After", answer.StatusCode, answer.Header, test.refused)
			}
			s.release()
			for range bound {
				if status := <-done; status != http.StatusOK {
					t.Errorf("active request: got status %d, want 200", status)
				}
			}
			<-s.idle
			if status := s.get(t, s.connect(t), "/"); status != http.StatusOK {
				t.Errorf("once one is idle: got status %d, want 200", status)
			}
		})
	}
}

// TestFullListenerClosesIdleOfTheSameClient: a client at its limit does not take the connections of others.
func TestFullListenerClosesIdleOfTheSameClient(t *testing.T) {
	s := serveLimited(t, web.NewLimiter(100, 1), false)
	from := func(addr string) *http.Client {
		client := s.connect(t)
		client.Transport.(*http.Transport).DialContext = (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(addr)}}).DialContext
		return client
	}
	other, one, two := from("127.0.0.2"), from("127.0.0.1"), from("127.0.0.1")
	for _, client := range []*http.Client{other, one, two} { // other has been idle longest
		if status := s.get(t, client, "/"); status != http.StatusOK {
			t.Fatalf("got status %d, want 200", status)
		}
		<-s.idle
	}
	other.Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("the connection was closed")
	}
	if status := s.get(t, other, "/"); status != http.StatusOK {
		t.Errorf("the other client's connection: got status %d, want 200", status)
	}
}

// TestRequestOnAnIdleConnectionIsServed: a connection on which a request has arrived is not closed although the server has
// not read it yet.
func TestRequestOnAnIdleConnectionIsServed(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	raw := make(chan net.Conn, 2)
	listener := web.LimitListener(observed{inner, raw}, web.NewLimiter(1, 1), web.ClientSpare)
	defer listener.Close()
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	first := dial()
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(first, "GET"); err != nil {
		t.Fatal(err)
	}
	socket, err := (<-raw).(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for arrived := 0; arrived < 3; { // without reading it
		if err := socket.Control(func(fd uintptr) {
			arrived, _, _ = syscall.Recvfrom(int(fd), make([]byte, 3), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		}); err != nil {
			t.Fatal(err)
		}
	}
	web.TrackIdle(accepted, true)
	second := dial()
	go func() { _, _ = listener.Accept() }() // until the test closes the listener
	answer, err := http.ReadResponse(bufio.NewReader(second), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusTooManyRequests {
		t.Errorf("got status %d, want 429", answer.StatusCode)
	}
	if text, err := io.ReadAll(io.LimitReader(accepted, 3)); err != nil || string(text) != "GET" {
		t.Errorf("the first connection: got %q, %v, want it open", text, err)
	}
}

// observed passes on the accepted connections.
type observed struct {
	net.Listener
	accepted chan<- net.Conn
}

func (o observed) Accept() (net.Conn, error) {
	conn, err := o.Listener.Accept()
	if err == nil {
		o.accepted <- conn
	}
	return conn, err
}

// TestIdleConnectionsMakeRoomForDescriptors checks that a process with few file descriptors serves more keep-alive clients
// than it has descriptors.
func TestIdleConnectionsMakeRoomForDescriptors(t *testing.T) {
	if os.Getenv(fewDescriptors) == "" {
		child := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -Sn 64 && ulimit -Hn 64 && exec "$0" "$@"`, os.Args[0], "-test.run=^"+t.Name()+"$")
		child.Env = append(os.Environ(), fewDescriptors+"=1")
		serving := listenerOf(t, child)
		for n := range 200 {
			conn, err := net.Dial("tcp", serving)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if status := request(t, conn); status != http.StatusNotFound {
				t.Fatalf("client %d: got status %d, want 404", n, status)
			}
		}
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(os.Stdout, listener.Addr().String()+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := web.Serve(t.Context(), listener, http.NotFoundHandler(), web.ServeOptions{Log: zerolog.Nop()}); err != nil {
		t.Fatal(err)
	}
}

// listenerOf starts a process until the test ends, and returns the address that it prints.
func listenerOf(t *testing.T, child *exec.Cmd) string {
	t.Helper()
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = child.Process.Kill()
		_ = child.Wait() // killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line[:len(line)-1]
}
