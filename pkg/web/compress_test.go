package web_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/web"
)

func TestAcceptsGzip(t *testing.T) {
	for accepted, want := range map[string]bool{
		"": false, "identity": false, "gzip": true, "GZIP": true, "deflate, gzip;q=0.5": true, "br, *": true, "gzip;q=0": false,
		"gzip; q=0.0": false, "gzip;q=0.000": false, "gzip;q=0.001": true, "xgzip": false, "*;q=0, gzip": true, "*, gzip;q=0": false, "*;q=0": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", accepted)
		if got := web.AcceptsGzip(r); got != want {
			t.Errorf("Accept-Encoding %q: got %t, want %t", accepted, got, want)
		}
	}
}

// list is a JSON text with n bytes.
func list(n int) string { return `["` + strings.Repeat("a", n-4) + `"]` }

// sends returns a handler that sends JSON, after it has set the given headers.
func sends(status int, content string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, content)
	}
}

// fetched is a response as it was sent, not decompressed.
type fetched struct {
	*http.Response
	body []byte
}

// fetch sends a request to a server that has only this handler.
func fetch(t *testing.T, handler http.HandlerFunc, method, accepted string) fetched {
	t.Helper()
	router := web.NewRouter(web.Options{Log: zerolog.Nop()})
	router.Mux.HandleFunc("GET /x", handler)
	server := httptest.NewServer(router)
	defer server.Close()
	server.Client().Transport.(*http.Transport).DisableCompression = true
	req, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if accepted != "" {
		req.Header.Set("Accept-Encoding", accepted)
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fetched{resp, body}
}

func unpacked(t *testing.T, compressed []byte) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestJSONIsCompressed checks that JSON of 1 KiB and more is compressed for clients that accept it, with the length of what is
// sent, and that caches can tell both forms apart.
func TestJSONIsCompressed(t *testing.T) {
	for _, mediaType := range []string{"application/json", "application/problem+json", "application/json; charset=utf-8"} {
		handler := sends(http.StatusOK, list(5000), "Content-Type", mediaType)
		got := fetch(t, handler, http.MethodGet, "gzip")
		if got.Header.Get("Content-Encoding") != "gzip" || got.Header.Get("Vary") != "Accept-Encoding" || got.ContentLength != int64(len(got.body)) {
			t.Fatalf("%s: got headers %v and %d bytes, want gzip, Vary and the length", mediaType, got.Header, len(got.body))
		}
		if text := unpacked(t, got.body); text != list(5000) || len(got.body) > 500 {
			t.Errorf("%s: got %d bytes that decompress to %d, want at most 500 that decompress to the list", mediaType, len(got.body), len(text))
		}
		plain := fetch(t, handler, http.MethodGet, "br")
		if plain.Header.Get("Content-Encoding") != "" || plain.Header.Get("Vary") != "Accept-Encoding" || string(plain.body) != list(5000) {
			t.Errorf("%s for a client that does not accept gzip: got headers %v, want the list, and Vary", mediaType, plain.Header)
		}
		if head := fetch(t, handler, http.MethodHead, "gzip"); head.Header.Get("Content-Encoding") != "gzip" || head.Header.Get("Content-Length") != got.Header.Get("Content-Length") {
			t.Errorf("%s: got headers %v for HEAD, want those of GET, %v", mediaType, head.Header, got.Header)
		}
	}
	if got := fetch(t, sends(http.StatusOK, list(5000), "Vary", "Accept-Encoding"), http.MethodGet, ""); len(got.Header.Values("Vary")) != 1 {
		t.Errorf("got headers %v for a response with Vary, want it once", got.Header)
	}
	if got := fetch(t, sends(http.StatusConflict, list(5000)), http.MethodGet, "gzip"); got.StatusCode != http.StatusConflict || unpacked(t, got.body) != list(5000) {
		t.Errorf("got status %d and %v, want a compressed response with 409", got.StatusCode, got.Header)
	}
}

// TestOtherResponsesAreNotCompressed checks that short JSON, downloads, parts of them, responses with an ETag, and other types
// are sent as they are.
func TestOtherResponsesAreNotCompressed(t *testing.T) {
	long := list(5000)
	for name, handler := range map[string]http.HandlerFunc{
		"short":         sends(http.StatusOK, list(1023)),
		"with an ETag":  sends(http.StatusOK, long, "ETag", `"1"`),
		"a download":    sends(http.StatusOK, long, "Content-Disposition", "attachment"),
		"with a length": sends(http.StatusOK, long, "Content-Length", strconv.Itoa(len(long))),
		"a part":        sends(http.StatusPartialContent, long, "Content-Range", "bytes 0-4999/9000"),
		"encoded":       sends(http.StatusOK, long, "Content-Encoding", "br"),
		"an image":      sends(http.StatusOK, long, "Content-Type", "image/png"),
		"an archive":    sends(http.StatusOK, long, "Content-Type", "application/zip"),
		"lines of JSON": sends(http.StatusOK, long, "Content-Type", "application/jsonl"),
		"nothing":       sends(http.StatusOK, ""),
		"no content":    sends(http.StatusNoContent, ""),
		"pieces": func(w http.ResponseWriter, r *http.Request) {
			sends(http.StatusOK, "[1,")(w, r)
			_, _ = io.WriteString(w, long+"]")
		},
		"a short answer": func(w http.ResponseWriter, _ *http.Request) { web.WriteJSON(w, http.StatusAccepted, "accepted") },
	} {
		got, plain := fetch(t, handler, http.MethodGet, "gzip"), fetch(t, handler, http.MethodGet, "")
		if !bytes.Equal(got.body, plain.body) || got.StatusCode != plain.StatusCode || got.Header.Get("Content-Encoding") != plain.Header.Get("Content-Encoding") {
			t.Errorf("%s: got status %d and headers %v, want the same as without Accept-Encoding: %d and %v", name, got.StatusCode, got.Header, plain.StatusCode, plain.Header)
		}
		if got.Header.Get("Vary") != "" {
			t.Errorf("%s: got Vary %q, want none", name, got.Header.Get("Vary"))
		}
	}
}

// TestLargeJSONIsSentInChunks checks a response whose compressed form is larger than what is held for a Content-Length.
func TestLargeJSONIsSentInChunks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var content strings.Builder
	for content.Len() < 8<<20 {
		fmt.Fprintf(&content, "%016x", random.Uint64())
	}
	got := fetch(t, func(w http.ResponseWriter, r *http.Request) {
		for text := content.String(); text != ""; {
			n := min(len(text), 1<<20)
			sends(http.StatusOK, text[:n])(w, r)
			text = text[n:]
		}
	}, http.MethodGet, "gzip")
	if got.ContentLength != -1 || unpacked(t, got.body) != content.String() {
		t.Errorf("got the length %d and %d bytes, want chunks that decompress to the content", got.ContentLength, len(got.body))
	}
}

// TestFlushedJSONArrives checks that a client receives what a handler has flushed before the handler returns.
func TestFlushedJSONArrives(t *testing.T) {
	arrived := make(chan struct{})
	router := web.NewRouter(web.Options{Log: zerolog.Nop()})
	router.Mux.HandleFunc("GET /x", func(w http.ResponseWriter, r *http.Request) {
		sends(http.StatusOK, list(5000))(w, r)
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		<-arrived
		_, _ = io.WriteString(w, list(2000))
	})
	server := httptest.NewServer(router)
	defer server.Close()
	resp, err := server.Client().Get(server.URL + "/x") // the client decompresses
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	first := make([]byte, 5000)
	if _, err := io.ReadFull(resp.Body, first); err != nil || string(first) != list(5000) || !resp.Uncompressed {
		t.Errorf("got %d bytes, error %v, want the compressed list", len(first), err)
	}
	close(arrived)
	if rest, err := io.ReadAll(resp.Body); err != nil || string(rest) != list(2000) {
		t.Errorf("got %d more bytes, error %v, want the second list", len(rest), err)
	}
}

// TestPanicAfterJSONCutsTheConnection checks that a client does not mistake a part of a compressed response for all of it.
func TestPanicAfterJSONCutsTheConnection(t *testing.T) {
	router := web.NewRouter(web.Options{Log: zerolog.Nop()})
	router.Mux.HandleFunc("GET /x", func(w http.ResponseWriter, r *http.Request) {
		sends(http.StatusOK, list(5000))(w, r)
		panic("late")
	})
	server := httptest.NewServer(router)
	defer server.Close()
	resp, err := server.Client().Get(server.URL + "/x")
	if err == nil {
		defer resp.Body.Close()
		_, err = io.ReadAll(resp.Body)
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got error %v, want the connection to be cut", err)
	}
}

// TestCompressorsAreShared checks that concurrent responses do not mix.
func TestCompressorsAreShared(t *testing.T) {
	router := web.NewRouter(web.Options{Log: zerolog.Nop()})
	router.Mux.HandleFunc("GET /{n}", func(w http.ResponseWriter, r *http.Request) {
		web.WriteJSON(w, http.StatusOK, strings.Repeat(r.PathValue("n"), 2000))
	})
	var clients sync.WaitGroup
	for n := range 32 {
		clients.Go(func() {
			for range 20 {
				got := ask(router, http.MethodGet, fmt.Sprintf("/%02d", n), "", "Accept-Encoding", "gzip")
				r, err := gzip.NewReader(got.Body)
				if err != nil {
					t.Error(err)
					return
				}
				if text, err := io.ReadAll(r); err != nil || strings.Trim(string(text), "\"\n") != strings.Repeat(fmt.Sprintf("%02d", n), 2000) {
					t.Errorf("response %d: got %d bytes, error %v, want its own content", n, len(text), err)
				}
			}
		})
	}
	clients.Wait()
}

func BenchmarkJSON(b *testing.B) {
	items := make([]map[string]any, 500)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range items {
		items[i] = map[string]any{"fileId": fmt.Sprintf("%032x", random.Uint64()), "fileName": fmt.Sprintf("report-%d.txt", i), "status": "COMPLETED", "size": random.IntN(1e6)}
	}
	router := web.NewRouter(web.Options{Log: zerolog.Nop()})
	for name, body := range map[string]any{"item": items[0], "list": items} {
		router.Mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, _ *http.Request) { web.WriteJSON(w, http.StatusOK, body) })
		for _, accepted := range []string{"identity", "gzip"} {
			b.Run(name+"/"+accepted, func(b *testing.B) {
				b.ReportAllocs()
				req := httptest.NewRequest(http.MethodGet, "http://localhost/"+name, nil)
				req.Header.Set("Accept-Encoding", accepted)
				sent := 0
				for b.Loop() {
					w := httptest.NewRecorder()
					router.ServeHTTP(w, req)
					sent = w.Body.Len()
				}
				if want := map[bool]int{true: 100, false: 5_000}[name == "item"]; sent < want {
					b.Errorf("got %d bytes, want at least %d", sent, want)
				}
				b.ReportMetric(float64(sent), "bytes")
			})
		}
	}
}
