package web_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pipes is an in-memory network for synctest.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// running is a server under test: stop shuts it down, done receives the result of Serve.
type running struct {
	pipes  *pipes
	client *http.Client
	stop   context.CancelFunc
	done   chan error
}

func serve(t *testing.T, handler http.Handler, o web.ServeOptions) *running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s := &running{pipes: newPipes(), stop: stop, done: make(chan error, 1)}
	transport := &http.Transport{DialContext: s.pipes.dial}
	s.client = &http.Client{Transport: transport}
	if o.Log.GetLevel() == zerolog.TraceLevel {
		o.Log = zerolog.Nop()
	}
	go func() { s.done <- web.Serve(ctx, s.pipes, handler, o) }()
	t.Cleanup(func() {
		stop()
		transport.CloseIdleConnections()
	})
	return s
}

func (s *running) end(t *testing.T) {
	t.Helper()
	s.stop()
	if err := <-s.done; err != nil {
		t.Errorf("Serve returned %v, want nil", err)
	}
}

func read(t *testing.T, body io.ReadCloser) string {
	t.Helper()
	content, err := io.ReadAll(body)
	if err != nil {
		t.Error(err)
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
	return string(content)
}

func TestServeFinishesRequestsInProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := make(chan struct{})
		health := &obs.Health{}
		s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			close(started)
			<-web.Draining(r.Context())
			select {
			case <-time.After(5 * time.Second):
			case <-r.Context().Done():
				t.Error("the request was cut off within the drain")
			}
			_, err := io.WriteString(w, "done")
			if err != nil {
				t.Error(err)
			}
		}), web.ServeOptions{Drain: 6 * time.Second, Health: health})
		go func() { <-started; s.stop() }()
		answer, err := s.client.Get("http://localhost/")
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, answer.Body); got != "done" {
			t.Errorf("got %q, want done", got)
		}
		if err := <-s.done; err != nil {
			t.Errorf("Serve returned %v, want nil", err)
		}
		if got := health.Check(t.Context()).Status; got != "draining" {
			t.Errorf("got readiness %q after the stop, want draining", got)
		}
		if _, err := s.client.Get("http://localhost/"); err == nil {
			t.Error("a request was accepted after the stop")
		}
	})
}

func TestServeAbortsRequestsAfterTheDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started, cause := make(chan struct{}), make(chan error, 1)
		s := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(started)
			<-r.Context().Done()
			cause <- context.Cause(r.Context())
		}), web.ServeOptions{Drain: 3 * time.Second})
		began := time.Now()
		go func() { <-started; s.stop() }()
		if _, err := s.client.Get("http://localhost/"); err == nil {
			t.Error("the request got a response, want its connection closed")
		}
		if err := <-s.done; !errors.Is(err, web.ErrCut) {
			t.Errorf("Serve returned %v, want ErrCut", err)
		}
		if err := <-cause; !errors.Is(err, web.ErrDraining) {
			t.Errorf("got cause %v, want ErrDraining", err)
		}
		if took := time.Since(began); took < 3*time.Second || took > 5*time.Second {
			t.Errorf("stopping took %s, want about 3s", took)
		}
	})
}

func TestServeReportsAFailedListener(t *testing.T) {
	listener := newPipes()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	err := web.Serve(t.Context(), listener, http.NotFoundHandler(), web.ServeOptions{Log: zerolog.Nop()})
	if !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v, want net.ErrClosed", err)
	}
}

func TestStalledBodyIsRejected(t *testing.T) {
	tests := map[string]struct {
		every  time.Duration // between two pieces of the body
		pieces int
		want   string // code in the status line
	}{
		"no piece arrives":                {time.Minute, 1, "408"},
		"slower than a KiB/s":             {10 * time.Second, 20, "408"},
		"slow start within 30s":           {10 * time.Second, 2, "200"},
		"long upload that makes progress": {0, 40, "200"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				router := web.NewRouter(web.Options{Log: zerolog.Nop()})
				router.Mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
					if _, err := io.Copy(io.Discard, r.Body); err != nil {
						web.WriteError(w, r, err)
					}
				})
				s := serve(t, router, web.ServeOptions{})
				conn, err := s.pipes.dial(t.Context(), "", "")
				if err != nil {
					t.Fatal(err)
				}
				const size = 512
				header := "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
				sent := make(chan struct{})
				go func() {
					defer close(sent)
					_, err := io.WriteString(conn, header)
					for i := 0; err == nil && i < test.pieces; i++ {
						<-time.After(test.every)
						_, err = io.WriteString(conn, "200\r\n"+strings.Repeat("x", size)+"\r\n")
					}
					if err == nil {
						_, err = io.WriteString(conn, "0\r\n\r\n")
					}
					if err != nil && !errors.Is(err, io.ErrClosedPipe) && !errors.Is(err, os.ErrDeadlineExceeded) {
						t.Error(err)
					}
				}()
				line, err := bufio.NewReader(conn).ReadString('\n')
				if err != nil || !strings.Contains(line, " "+test.want+" ") {
					t.Errorf("got status line %q, error %v, want status %s", line, err, test.want)
				}
				if err := conn.Close(); err != nil {
					t.Error(err)
				}
				<-sent
				s.end(t)
			})
		})
	}
}

func TestReadBodyDoesNotCancelALongResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type input struct {
			Body struct {
				Name string `json:"name"`
			}
		}
		router := web.NewRouter(web.Options{Log: zerolog.Nop()})
		web.Register(router, operation(http.MethodPost, "/slow"), func(ctx context.Context, _ *input) (*struct{}, error) {
			select {
			case <-time.After(2 * time.Minute):
				return nil, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
		s := serve(t, router, web.ServeOptions{})
		answer, err := s.client.Post("http://localhost/slow", "application/json", strings.NewReader(`{"name":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		if body := read(t, answer.Body); answer.StatusCode != http.StatusNoContent {
			t.Errorf("got %d %s, want 204", answer.StatusCode, body)
		}
		s.client.CloseIdleConnections()
		s.end(t)
	})
}

// TestLongResponseIsNotAborted checks that neither the deadline of the request body nor the one of the first response
// bytes ends a slow handler.
func TestLongResponseIsNotAborted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		router := web.NewRouter(web.Options{Log: zerolog.Nop()})
		router.Mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(w, r.Body); err != nil { // stays in the server's buffer
				t.Error(err)
			}
			if n, err := r.Body.Read(make([]byte, 1)); !errors.Is(err, io.EOF) { // as decoders do
				t.Errorf("after the end: got %d bytes, error %v, want io.EOF", n, err)
			}
			select {
			case <-time.After(2 * time.Minute):
			case <-r.Context().Done():
				t.Errorf("the request was canceled: %v", context.Cause(r.Context()))
			}
		})
		s := serve(t, router, web.ServeOptions{})
		answer, err := s.client.Post("http://localhost/", "text/plain", strings.NewReader("echo"))
		if err != nil {
			t.Fatal(err)
		}
		if body := read(t, answer.Body); body != "echo" {
			t.Errorf("got %q, want echo", body)
		}
		s.client.CloseIdleConnections()
		s.end(t)
	})
}
