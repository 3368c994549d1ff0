package gateway

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/web"
)

func settings(ingest, query string) Config {
	return Config{Ingest: ingest, Query: query, IngestOperator: unreachable, QueryOperator: unreachable, AnalyzerOperator: unreachable}
}

// start serves the gateway in front of the two services until stop is called. stop returns the result
// of web.Serve.
func start(t *testing.T, ingest, query string) (url string, stop func() error) {
	t.Helper()
	s, err := Open(settings(ingest, query), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	router := web.NewRouter(web.Options{})
	s.Routes(router)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(ctx, listener, router, web.ServeOptions{}) }()
	t.Cleanup(func() { cancel(); s.Close() })
	return "http://" + listener.Addr().String(), func() error { cancel(); return <-ended }
}

func behind(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func ask(t *testing.T, method, url string, body io.Reader) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "multipart/form-data")
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

const unreachable = "http://127.0.0.1:1"

// TestLiveEventsAreForwardedImmediately checks that an event is forwarded before the next one
// occurs, and that a gateway that shuts down ends the stream instead of waiting for it.
func TestLiveEventsAreForwardedImmediately(t *testing.T) {
	gone := make(chan struct{})
	query := behind(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(gone)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: 1\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	url, stop := start(t, unreachable, query)
	answer := ask(t, http.MethodGet, url+"/v1/events", nil)
	lines := bufio.NewReader(answer.Body)
	if line, err := lines.ReadString('\n'); err != nil || line != "data: 1\n" {
		t.Fatalf("got the line %q, %v, want data: 1", line, err)
	}
	if err := stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	if rest, err := io.ReadAll(lines); err != nil || string(rest) != "\n" {
		t.Errorf("after the event: got %q, %v, want an empty line", rest, err)
	}
	<-gone
}

// TestBodiesAreStreamed checks that request bodies reach the service before the client has sent all of them.
func TestBodiesAreStreamed(t *testing.T) {
	arrived := make(chan string)
	ingest := behind(t, func(w http.ResponseWriter, r *http.Request) {
		for range 2 {
			half := make([]byte, 4)
			if _, err := io.ReadFull(r.Body, half); err != nil {
				t.Error(err)
			}
			arrived <- string(half)
		}
		w.WriteHeader(http.StatusAccepted)
	})
	url, _ := start(t, ingest, unreachable)
	body, client := io.Pipe()
	go func() {
		for _, half := range []string{"one ", "two "} {
			_, _ = io.WriteString(client, half)
			if got := <-arrived; got != half {
				t.Errorf("got %q, want %q", got, half)
			}
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	}()
	if answer := ask(t, http.MethodPost, url+"/v1/files", body); answer.StatusCode != http.StatusAccepted {
		t.Errorf("got status %s, want %d", answer.Status, http.StatusAccepted)
	}
}

// TestServiceSeesClientHostAndRequestID checks that the service sees the client's host, and that the request id
// is sent once to service and client.
func TestServiceSeesClientHostAndRequestID(t *testing.T) {
	query := behind(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "another")
		w.Header().Set("Saw", r.Host+" "+r.Header.Get("X-Request-Id")+" "+r.URL.EscapedPath())
	})
	url, _ := start(t, unreachable, query)
	answer := ask(t, http.MethodGet, url+"/v1/feed/items/reddit%231", nil)
	ids := answer.Header.Values("X-Request-Id")
	if len(ids) != 1 || answer.Header.Get("Saw") != strings.TrimPrefix(url, "http://")+" "+ids[0]+" /v1/feed/items/reddit%231" {
		t.Errorf("the service received %q and the client the request ids %q, want the client's host and the same id", answer.Header.Get("Saw"), ids)
	}
}

// TestUnavailableService checks that the problem names the service and states whether the
// request may have had an effect.
func TestUnavailableService(t *testing.T) {
	cut := behind(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	url, _ := start(t, unreachable, cut)
	for call, want := range map[string]struct {
		status int
		says   string
	}{
		"POST /v1/files":     {http.StatusServiceUnavailable, "ingest is unavailable. The request was not processed"},
		"GET /v1/feed/items": {http.StatusBadGateway, "query closed the connection"},
	} {
		method, path, _ := strings.Cut(call, " ")
		answer := ask(t, method, url+path, nil)
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != want.status || !strings.Contains(string(text), want.says) {
			t.Errorf("%s: got %s, %s, %v, want %d with %q", call, answer.Status, text, err, want.status, want.says)
		}
	}
}

// TestErrorForInvalidURLNamesVariable checks that the error for an invalid URL names its variable.
func TestErrorForInvalidURLNamesVariable(t *testing.T) {
	for _, bad := range []string{"", "ingest:8081", "ftp://ingest", "http://"} {
		if _, err := Open(settings(bad, unreachable), zerolog.Nop()); err == nil || !strings.Contains(err.Error(), "ASSAY_INGEST_URL") {
			t.Errorf("Open with the URL %q: got %v, want an error that names ASSAY_INGEST_URL", bad, err)
		}
	}
	if _, err := Open(settings(unreachable, unreachable), zerolog.Nop()); err != nil {
		t.Error(err)
	}
}

// TestBrowsersGetUnknownAddressesFromQuery checks that query, which has the web app, answers browsers at addresses that
// nobody serves, and that others get a problem.
func TestBrowsersGetUnknownAddressesFromQuery(t *testing.T) {
	query := behind(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Saw", r.URL.Path)
		w.WriteHeader(http.StatusNotFound)
	})
	url, _ := start(t, unreachable, query)
	for accept, want := range map[string]string{"text/html, */*;q=0.8": "/nope", "*/*": ""} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/nope", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", accept)
		answer, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
		if answer.StatusCode != http.StatusNotFound || answer.Header.Get("Saw") != want {
			t.Errorf("Accept %s: got status %d, and query saw %q, want 404 and %q", accept, answer.StatusCode, answer.Header.Get("Saw"), want)
		}
	}
}
