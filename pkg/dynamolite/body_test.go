package dynamolite_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
)

// TestBodiesAreBoundedTogether sends 15 MB of each of nine bodies of 16 MB concurrently. Eight of them
// use all the memory for request bodies.
func TestBodiesAreBoundedTogether(t *testing.T) {
	s := start(t, dynamolite.Options{})
	part := strings.Repeat(" ", 15<<20)
	responses := make(chan string, 9)
	for range 9 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		go func() {
			// A server that rejects the body closes the connection, which ends the write.
			_, _ = fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Length: %d\r\n\r\n%s", 16<<20, part)
			response := make([]byte, 12)
			n, _ := conn.Read(response)
			responses <- string(response[:n])
		}()
	}
	if got := <-responses; got != "HTTP/1.1 503" {
		t.Errorf("first response: got %q, want HTTP/1.1 503", got)
	}
}

// TestBodyWithoutADeclaredLength checks that a body within the limit is accepted and a larger one is
// rejected, whether or not its length is declared.
func TestBodyWithoutADeclaredLength(t *testing.T) {
	engine, err := dynamolite.Open(dynamolite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, engine)
	for body, want := range map[string]int{
		"{}" + strings.Repeat(" ", 300_000): http.StatusOK,
		strings.Repeat(" ", 16<<20+1):       http.StatusBadRequest,
	} {
		for _, length := range []int64{int64(len(body)), -1} {
			r := httptest.NewRequest(http.MethodPost, s.url, strings.NewReader(body))
			r.ContentLength = length
			r.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
			w := httptest.NewRecorder()
			engine.ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%d bytes with declared length %d: got status %d: %s, want %d", len(body), length, w.Code, w.Body, want)
			}
		}
	}
}

func TestTruncatedBodyIsRejected(t *testing.T) {
	engine, err := dynamolite.Open(dynamolite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, engine)
	r := httptest.NewRequest(http.MethodPost, s.url, strings.NewReader("{}"))
	r.ContentLength = 3
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
	w := httptest.NewRecorder()
	engine.ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "SerializationException") {
		t.Errorf("2 bytes with declared length 3: got status %d: %s, want 400 and SerializationException", w.Code, w.Body)
	}
}
