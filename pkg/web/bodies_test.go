package web_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/assay-project/assay/pkg/web"
)

type text struct {
	Body struct {
		Text string `json:"text"`
	}
}

// TestBodiesShareALimit checks that a request is rejected while others use most of the memory,
// and accepted after they have released it.
func TestBodiesShareALimit(t *testing.T) {
	bodies := web.NewBodies(1000)
	router := web.NewRouter(web.Options{Bodies: bodies})
	web.Register(router, operation("POST", "/said"), func(_ context.Context, in *text) (*greeting, error) {
		out := &greeting{}
		out.Body.Text = in.Body.Text
		return out, nil
	})
	body := `{"text":"` + strings.Repeat("x", 500) + `"}`
	others := bodies.Hold()
	if err := others.Grow(t.Context(), 600); err != nil {
		t.Fatal(err)
	}
	answer := ask(router, "POST", "/said", body)
	if got := problemIn(t, answer); got.Type != "urn:assay:problem:unavailable" || answer.Code != http.StatusServiceUnavailable {
		t.Errorf("at the limit: got %d %s, want %d unavailable", answer.Code, got.Type, http.StatusServiceUnavailable)
	}
	if answer.Header().Get("Retry-After") == "" || answer.Header().Get("Connection") != "close" {
		t.Errorf("at the limit: got header %v, want Retry-After and Connection: close", answer.Header())
	}
	others.Release()
	for range 3 { // each releases its memory
		if answer := ask(router, "POST", "/said", body); answer.Code != http.StatusOK {
			t.Errorf("below the limit: got %d %s, want %d", answer.Code, answer.Body, http.StatusOK)
		}
	}
}

// TestBodyCountsByReceivedBytes checks that a body that declares more than the limit counts
// only by the bytes received.
func TestBodyCountsByReceivedBytes(t *testing.T) {
	bodies := web.NewBodies(1000)
	router := web.NewRouter(web.Options{Bodies: bodies})
	web.Register(router, operation("POST", "/said"), func(context.Context, *text) (*struct{}, error) { return nil, nil })
	half := &halfBody{counted: make(chan struct{}), breaks: make(chan struct{})}
	request := httptest.NewRequest("POST", "http://localhost/said", half)
	request.ContentLength = 900_000
	answered := make(chan int)
	go func() {
		answer := httptest.NewRecorder()
		router.ServeHTTP(answer, request)
		answered <- answer.Code
	}()
	<-half.counted
	other := bodies.Hold()
	if err := other.Grow(t.Context(), 500); err != nil {
		t.Errorf("after 400 bytes of a body: got error %v, want nil", err)
	}
	if err := other.Grow(t.Context(), 200); !errors.Is(err, web.ErrBodiesFull) {
		t.Errorf("beyond the limit: got error %v, want ErrBodiesFull", err)
	}
	other.Release()
	close(half.breaks)
	if status := <-answered; status != http.StatusBadRequest {
		t.Errorf("the truncated body: got status %d, want 400", status)
	}
	if err := other.Grow(t.Context(), 1000); err != nil {
		t.Errorf("after all requests have ended: got error %v, want nil", err)
	}
}

// halfBody yields 400 bytes and then blocks until breaks is closed.
type halfBody struct {
	read            int
	counted, breaks chan struct{}
}

func (b *halfBody) Read(p []byte) (int, error) {
	if b.read < 400 {
		n := min(len(p), 400-b.read)
		b.read += copy(p, bytes.Repeat([]byte(" "), n))
		return n, nil
	}
	close(b.counted)
	<-b.breaks
	return 0, io.ErrUnexpectedEOF
}

// TestGrowEndsWithItsRequest checks that a canceled request does not wait for memory.
func TestGrowEndsWithItsRequest(t *testing.T) {
	hold := web.NewBodies(10).Hold()
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if err := hold.Grow(ctx, 11); !errors.Is(err, context.Canceled) {
		t.Errorf("Grow returned error %v, want Canceled", err)
	}
}

// TestDocumentIsCreatedDuringRequests checks concurrent requests while the API description is
// created. It relies on the race detector.
func TestDocumentIsCreatedDuringRequests(t *testing.T) {
	router := web.NewRouter(web.Options{})
	web.Register(router, operation("POST", "/said"), func(context.Context, *text) (*struct{}, error) { return nil, nil })
	var requests sync.WaitGroup
	for _, call := range [][3]string{{"GET", "/openapi.json", ""}, {"POST", "/said", `{"text":"x"}`}} {
		requests.Go(func() {
			if answer := ask(router, call[0], call[1], call[2]); answer.Code >= http.StatusBadRequest {
				t.Errorf("%v: got %d %s, want success", call, answer.Code, answer.Body)
			}
		})
	}
	requests.Wait()
}
