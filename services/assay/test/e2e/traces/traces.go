// Package traces proves that the trace of a request contains everything it causes, as an OpenTelemetry collector receives it.
package traces

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// Scenarios returns the promises on services that the test starts.
func Scenarios() system.Scenarios {
	return system.Scenarios{
		"a trace has every hop":                everyHop,
		"spans link to causes in other traces": linksToCauses,
	}
}

// caller is a client that sends its trace with every request.
type caller struct {
	*client.Client
	system system.System
	owner  string
	trace  string // 32 hex digits
}

const callerSpan = "00f067aa0ba902b7"

// RoundTrip implements http.RoundTripper.
func (c *caller) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Traceparent", c.parent())
	return http.DefaultTransport.RoundTrip(r)
}

func (c *caller) parent() string { return "00-" + c.trace + "-" + callerSpan + "-01" }

// newCaller returns a caller with a new owner and trace, whose outcomes are delivered to a webhook.
func newCaller(t *testing.T, s system.System) *caller {
	t.Helper()
	id := make([]byte, 16)
	rand.Read(id)
	c := &caller{system: s, owner: system.NewOwner(), trace: hex.EncodeToString(id)}
	var err error
	if c.Client, err = client.New(client.Config{Server: s.HTTP, OwnerID: c.owner, HTTP: &http.Client{Transport: c}}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if parent := r.Header.Get("Traceparent"); parent == "" {
			t.Error("a webhook has no traceparent, want that of its trace")
		}
	}))
	t.Cleanup(server.Close)
	header := map[string]string{"Content-Type": "application/json", "X-Owner-Id": c.owner}
	if resp, body := s.Ask(t, http.MethodPost, "/v1/webhooks", header, `{"url":"`+server.URL+`"}`); resp.StatusCode != http.StatusCreated {
		t.Fatalf("got %d: %s", resp.StatusCode, body)
	}
	return c
}

// everyHop: the trace of an item of each area contains the request, the calls of the backends, the events, the steps of the
// analysis, the outcome and its delivery. Every span descends from the span of the client.
func everyHop(t *testing.T, start system.Starter) {
	spans := collect(t)
	env := []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + spans.endpoint, "OTEL_BSP_SCHEDULE_DELAY=200"}
	c := start(t, env...)
	services := []*system.Service{c.Service(t, "ingest"), c.Service(t, "query"), c.Service(t, "analyzer")}
	c.Front(t, services[0], services[1], services[2])
	for area, item := range items {
		t.Run(area, func(t *testing.T) {
			from := newCaller(t, c.System)
			item.send(t, from)
			want := append(slices.Clone(item.hops), "query process assay.v1.AnalysisCompleted")
			if !item.ownerless {
				want = append(want, "query process assay.v1.AnalysisCompleted > query webhook "+item.event+" > query POST")
			}
			system.Eventually(t, func() error { return contains(spans.trace(from.trace), want) })
		})
	}
}

// contains returns an error unless for each wanted path there is a span whose path ends with it, and every span descends from
// that of the client.
func contains(spans map[string]span, want []string) error {
	var failed []error
	all := paths(spans)
	for id := range spans {
		at := id
		for spans[at].service != "" {
			at = spans[at].ParentSpanID().String()
		}
		if at != callerSpan && at != "" {
			failed = append(failed, fmt.Errorf("the parent of %s has not arrived: %s", path(spans, id), at))
		}
	}
	for _, hop := range want {
		if !slices.ContainsFunc(all, func(p string) bool { return strings.HasSuffix(p, hop) }) {
			failed = append(failed, fmt.Errorf("no span %q", hop))
		}
	}
	if len(failed) > 0 {
		failed = append(failed, fmt.Errorf("the spans:\n%s", strings.Join(slices.Compact(all), "\n")))
	}
	return errors.Join(failed...)
}
