package web_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/web"
)

// fewDescriptors names a variable that is set in the process with few file descriptors.
const fewDescriptors = "ASSAY_TEST_FEW_DESCRIPTORS"

// TestConnectionsAreRejectedWithoutFreeDescriptors checks that a process with few file descriptors rejects a connection
// when too many are active, and accepts connections again after those are closed.
func TestConnectionsAreRejectedWithoutFreeDescriptors(t *testing.T) {
	if os.Getenv(fewDescriptors) == "" {
		// Go raises the soft limit to the hard one, or one below it.
		child := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -Sn 64 && ulimit -Hn 128 && exec "$0" "$@"`, os.Args[0], "-test.run=^"+t.Name()+"$")
		child.Env = append(os.Environ(), fewDescriptors+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("the process with few descriptors failed: %v\n%s", err, out)
		}
		return
	}
	if n := web.MaxDescriptors(); n < 127 {
		t.Fatalf("got %d descriptors, want those of the hard limit", n)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() {
		stopped <- web.Serve(ctx, listener, http.HandlerFunc(unfinished), web.ServeOptions{Log: zerolog.Nop()})
	}()
	var held []net.Conn
	for status := 0; status != http.StatusServiceUnavailable; {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatalf("connection %d: %v", len(held), err)
		}
		held = append(held, conn)
		status = request(t, conn)
	}
	if n := len(held); n < 40 || n > 60 { // each has two descriptors in this process
		t.Errorf("connection %d was the first to be rejected, want one of 40 to 60", n)
	}
	for _, conn := range held {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	for status := 0; status != http.StatusNotFound; {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		status = request(t, conn)
		conn.Close()
	}
	stop()
	if err := <-stopped; err != nil && !errors.Is(err, web.ErrCut) {
		t.Error(err)
	}
}

// unfinished responds with 404, and then keeps the request until the client disconnects.
func unfinished(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "0")
	w.WriteHeader(http.StatusNotFound)
	_ = http.NewResponseController(w).Flush()
	select {
	case <-r.Context().Done():
	case <-web.Draining(r.Context()):
	}
}

// request sends a request and returns the status of the response. A 503 must have a Retry-After.
func request(t *testing.T, conn net.Conn) int {
	t.Helper()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode == http.StatusServiceUnavailable && answer.Header.Get("Retry-After") == "" {
		t.Error("got a 503 without Retry-After")
	}
	return answer.StatusCode
}
