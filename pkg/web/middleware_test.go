package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/web"
)

// plain returns a router with one plain handler at path.
func plain(o web.Options, path string, handler http.HandlerFunc) *web.Router {
	router := web.NewRouter(o)
	router.Handle(operation(http.MethodPost, path), handler)
	return router
}

func TestTraceIsAcceptedEchoedAndCarried(t *testing.T) {
	const traceID = "0af7651916cd43dd8448eb211c80319c"
	var inside obs.Trace
	router := plain(web.Options{Log: zerolog.Nop()}, "/x", func(_ http.ResponseWriter, r *http.Request) { inside = obs.TraceFrom(r.Context()) })
	rec := ask(router, http.MethodPost, "/x", "",
		"X-Request-Id", "mine", "Traceparent", "00-"+traceID+"-b7ad6b7169203331-01", "Tracestate", "a=1")
	if inside.RequestID != "mine" || inside.ID() != traceID || inside.State != "a=1" {
		t.Errorf("the handler got %+v, want request id mine, state a=1 and trace %s", inside, traceID)
	}
	got := obs.Trace{RequestID: rec.Header().Get("X-Request-Id"), Parent: rec.Header().Get("Traceparent"), State: rec.Header().Get("Tracestate")}
	if got != inside {
		t.Errorf("the response has %+v, want %+v", got, inside)
	}

	rec = ask(router, http.MethodPost, "/x", "", "X-Request-Id", "two words")
	if id := rec.Header().Get("X-Request-Id"); id == "" || id == "two words" || id != inside.RequestID {
		t.Errorf("got request id %q, want a new one", id)
	}
	if inside.ID() == "" || inside.ID() == traceID || rec.Header().Get("Traceparent") != inside.Parent {
		t.Errorf("without a traceparent, the handler got %+v and the response has %v, want a new trace in both", inside, rec.Header())
	}
}

func TestEachRequestHasOneLineInTheLog(t *testing.T) {
	var log bytes.Buffer
	router := plain(web.Options{Log: zerolog.New(&log)}, "/v1/{id}", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		w.WriteHeader(http.StatusTeapot)
		if _, err := io.WriteString(w, "12345"); err != nil {
			t.Error(err)
		}
	})
	ask(router, http.MethodPost, "/v1/secret-id", "", "X-Request-Id", "r1", "X-Owner-Id", "somebody")
	var line map[string]any
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatalf("got log %q, error %v, want one JSON line", log.String(), err)
	}
	for key, want := range map[string]any{
		"level": "info", "method": "POST", "route": "/v1/{id}", "status": 202., "bytes": 5., "request_id": "r1",
		"client": "192.0.2.1", "owner": "729d7d638cef",
	} {
		if line[key] != want {
			t.Errorf("%s is %v, want %v", key, line[key], want)
		}
	}
	if _, there := line["duration_ms"].(float64); !there {
		t.Errorf("got log line %s, want one with duration_ms", &log)
	}
	if strings.Contains(log.String(), "somebody") {
		t.Errorf("got log %s, want no owner id, because it acts as a credential", &log)
	}
}

func TestRejectedCrossOriginRequestsAreLoggedByRoute(t *testing.T) {
	var log bytes.Buffer
	router := plain(web.Options{Log: zerolog.New(&log)}, "/v1/{id}", func(http.ResponseWriter, *http.Request) { t.Error("handled") })
	rec := ask(router, http.MethodPost, "/v1/x", "", "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example")
	if rec.Code != http.StatusForbidden || !strings.Contains(log.String(), `"route":"/v1/{id}"`) || !strings.Contains(log.String(), `"origin":"https://evil.example"`) {
		t.Errorf("got status %d, log %s, want 403 and a line with route and origin", rec.Code, &log)
	}
}

func TestNoResponseIsSniffed(t *testing.T) {
	router := plain(web.Options{Log: zerolog.Nop()}, "/v1/x", func(w http.ResponseWriter, _ *http.Request) { web.WriteJSON(w, http.StatusOK, 1) })
	for _, path := range []string{"/v1/x", "/nothing", "/openapi.json", "/healthz"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			if got := ask(router, method, path, "").Header().Get("X-Content-Type-Options"); got != "nosniff" {
				t.Errorf("%s %s: got X-Content-Type-Options %q, want nosniff", method, path, got)
			}
		}
	}
}

// TestMetricsAreServedOnRequest checks that only routers with Options.Metrics serve metrics, so that clients do
// not see them.
func TestMetricsAreServedOnRequest(t *testing.T) {
	for served, want := range map[bool]int{true: http.StatusOK, false: http.StatusNotFound} {
		router := web.NewRouter(web.Options{Log: zerolog.Nop(), Metrics: served})
		if rec := ask(router, http.MethodGet, "/metrics", ""); rec.Code != want {
			t.Errorf("with Metrics %t: got %d, want %d", served, rec.Code, want)
		}
	}
}

func TestRequestsAreCountedByRoute(t *testing.T) {
	registry := prometheus.NewRegistry()
	inside := 0.
	router := plain(web.Options{Log: zerolog.Nop(), Registry: registry, Metrics: true}, "/v1/{id}", func(http.ResponseWriter, *http.Request) {
		inside = metric(t, registry, "assay_http_requests_in_flight")
	})
	operator := web.NewRouter(web.Options{Log: zerolog.Nop(), Registry: registry}) // a second router can share the registry
	ask(router, http.MethodPost, "/v1/a", "")
	ask(router, http.MethodPost, "/v1/b", "")
	ask(operator, http.MethodGet, "/nowhere", "")
	ask(operator, "BREW", "/nowhere", "")

	if inside != 1 || metric(t, registry, "assay_http_requests_in_flight") != 0 {
		t.Errorf("in flight: got %v during a request, want 1, and 0 afterwards", inside)
	}
	for labels, want := range map[string]float64{
		"method=POST,route=/v1/{id},status=200":   2,
		"method=GET,route=unmatched,status=404":   1,
		"method=other,route=unmatched,status=404": 1,
	} {
		for _, name := range []string{"assay_http_requests_total", "assay_http_request_duration_seconds"} {
			if got := metric(t, registry, name+"{"+labels+"}"); got != want {
				t.Errorf("%s{%s} is %v, want %v", name, labels, got, want)
			}
		}
	}
	if page := ask(router, http.MethodGet, "/metrics", "").Body.String(); !strings.Contains(page, "assay_http_requests_total{") {
		t.Error("/metrics does not contain the requests")
	}
}

// metric reads one value, or a histogram's count, by name{label=value,…} with labels in order.
func metric(t *testing.T, registry *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			var labels []string
			for _, pair := range m.GetLabel() {
				labels = append(labels, pair.GetName()+"="+pair.GetValue())
			}
			full := family.GetName()
			if len(labels) > 0 {
				full += "{" + strings.Join(labels, ",") + "}"
			}
			if full == name {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return 0
}

func TestPanicIsA500AndIsLogged(t *testing.T) {
	var log bytes.Buffer
	router := plain(web.Options{Log: zerolog.New(&log)}, "/x", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "3")
		panic("secret reason")
	})
	rec := ask(router, http.MethodPost, "/x", "")
	if strings.Contains(rec.Body.String(), "secret") || rec.Header().Get("Content-Length") != "" {
		t.Errorf("got response %s with header %v, want neither the reason nor a Content-Length", rec.Body, rec.Header())
	}
	if p := problemIn(t, rec); p.Type != "urn:assay:problem:internal" {
		t.Errorf("got %+v, want urn:assay:problem:internal", p)
	}
	if lines := log.String(); strings.Count(lines, "secret reason") != 1 || !strings.Contains(lines, "middleware_test.go") || !strings.Contains(lines, `"status":500`) {
		t.Errorf("got log %s, want the reason once, the stack and the access line", lines)
	}
}

func TestPanicDuringAResponseClosesTheConnection(t *testing.T) {
	server := httptest.NewServer(plain(web.Options{Log: zerolog.Nop()}, "/x", func(w http.ResponseWriter, _ *http.Request) {
		if _, err := io.WriteString(w, "half"); err != nil {
			t.Error(err)
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		panic("late")
	}))
	defer server.Close()
	defer server.Client().CloseIdleConnections()
	answer, err := server.Client().Post(server.URL+"/x", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(answer.Body); err == nil {
		t.Error("the client read a complete response, want a truncated one")
	}
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
}

func TestResponseControllerReachesTheConnection(t *testing.T) {
	server := httptest.NewServer(plain(web.Options{Log: zerolog.Nop()}, "/x", func(w http.ResponseWriter, _ *http.Request) {
		control := http.NewResponseController(w)
		for name, err := range map[string]error{
			"flush": control.Flush(), "read deadline": control.SetReadDeadline(time.Now().Add(time.Minute)),
			"write deadline": control.SetWriteDeadline(time.Now().Add(time.Minute)),
		} {
			if err != nil {
				t.Errorf("%s: got error %v, want nil", name, err)
			}
		}
	}))
	defer server.Close()
	defer server.Client().CloseIdleConnections()
	answer, err := server.Client().Post(server.URL+"/x", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	read(t, answer.Body)
}

func TestMalformedBodyIsAClientError(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "http://localhost/send", brokenBody{})
	rec := httptest.NewRecorder()
	sender(zerolog.Nop(), nil).ServeHTTP(rec, r)
	if p := problemIn(t, rec); p.Type != "urn:assay:problem:bad-request" || len(p.Errors) > 0 {
		t.Errorf("got %+v, want bad-request without fields", p)
	}
}

func TestEncodedBodiesAreRejected(t *testing.T) {
	router := plain(web.Options{Log: zerolog.Nop()}, "/x", func(http.ResponseWriter, *http.Request) {})
	for encoding, want := range map[string]int{"": 200, "identity": 200, "gzip": 415, "br, gzip": 415} {
		if rec := ask(router, http.MethodPost, "/x", "body", "Content-Encoding", encoding); rec.Code != want {
			t.Errorf("%q: got %d, want %d", encoding, rec.Code, want)
		}
	}
	if rec := ask(router, http.MethodPost, "/x", "", "Content-Encoding", "gzip"); rec.Code != 200 {
		t.Errorf("no body: got %d, want 200", rec.Code)
	}
}

func TestIsJSON(t *testing.T) {
	for kind, want := range map[string]bool{
		"": true, "application/json": true, "Application/JSON; charset=utf-8": true, "application/vnd.a+json": true,
		"text/plain": false, "application/jsonl": false, "json": false, "application/json; =": false,
	} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Header.Set("Content-Type", kind)
		if got := web.IsJSON(r); got != want {
			t.Errorf("IsJSON with %q = %t, want %t", kind, got, want)
		}
	}
}

// TestForwardedRequestsAreNotJudged checks that a router in front of a service leaves parameters to the service.
func TestForwardedRequestsAreNotJudged(t *testing.T) {
	router := plain(web.Options{Log: zerolog.Nop()}, "/x", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	router.Forwards()
	for _, header := range [][]string{nil, {web.OwnerHeader, "a b"}} {
		if rec := ask(router, http.MethodPost, "/x?wrong=1", "", header...); rec.Code != http.StatusUnauthorized {
			t.Errorf("with the header %q: got %d, want the 401 of the service", header, rec.Code)
		}
	}
}

// brokenBody fails like a chunked body with malformed chunks.
type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestCrossOriginWritesAreRejected(t *testing.T) {
	router := plain(web.Options{Log: zerolog.Nop()}, "/x", func(http.ResponseWriter, *http.Request) {})
	for name, test := range map[string]struct {
		header []string
		want   int
	}{
		"no browser":   {nil, 200},
		"same origin":  {[]string{"Sec-Fetch-Site", "same-origin"}, 200},
		"other site":   {[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		"other origin": {[]string{"Origin", "https://evil.example"}, 403},

		"same origin without Sec-Fetch-Site": {[]string{"Origin", "http://localhost"}, 200},
		"other scheme":                       {[]string{"Origin", "https://localhost"}, 403},
		"other port":                         {[]string{"Origin", "http://localhost:81"}, 403},
		"opaque origin":                      {[]string{"Origin", "null"}, 403},
		"same origin over TLS":               {[]string{"X-Forwarded-Proto", "https", "Origin", "https://localhost"}, 200},
		"other scheme over TLS":              {[]string{"X-Forwarded-Proto", "https", "Origin", "http://localhost"}, 403},
		"TLS ends at an unknown proxy":       {[]string{"Sec-Fetch-Site", "same-origin", "Origin", "https://localhost"}, 200},
	} {
		if rec := ask(router, http.MethodPost, "/x", "", test.header...); rec.Code != test.want {
			t.Errorf("%s: got %d, want %d", name, rec.Code, test.want)
		}
	}
}

// TestUnknownParametersAreRejected checks typed operations and plain handlers, such as streams.
func TestUnknownParametersAreRejected(t *testing.T) {
	router := plain(web.Options{Log: zerolog.Nop()}, "/plain", func(http.ResponseWriter, *http.Request) {})
	type input struct {
		Limit int `query:"limit"`
	}
	web.Register(router, huma.Operation{OperationID: "list", Method: http.MethodGet, Path: "/list/{id}"}, func(context.Context, *input) (*struct{}, error) { return nil, nil })
	for _, c := range []struct {
		method, path string
		want         int
	}{
		{http.MethodGet, "/list/a", 204}, {http.MethodGet, "/list/a?limit=1", 204}, {http.MethodGet, "/list/a?Limit=1", 422}, {http.MethodGet, "/list/a?limit=1&tag=b", 422},
		{http.MethodHead, "/list/a?tag=b", 422}, {http.MethodGet, "/list/a?limit=1;2", 422}, {http.MethodPost, "/plain?x", 422}, {http.MethodPost, "/plain", 200},
		{http.MethodGet, "/healthz?probe=1", 200}, {http.MethodGet, "/nothing?x=1", 404},
	} {
		rec := ask(router, c.method, c.path, "")
		if rec.Code != c.want || c.want == 422 && c.method != http.MethodHead && !strings.Contains(rec.Body.String(), `"field":"query`) {
			t.Errorf("%s %s: got %d %s, want %d", c.method, c.path, rec.Code, rec.Body, c.want)
		}
	}
}
