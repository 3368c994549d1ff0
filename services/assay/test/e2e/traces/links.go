package traces

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// linksToCauses: an event that a sweep publishes stays in the trace of its item, and links to the sweep.
func linksToCauses(t *testing.T, start system.Starter) {
	spans := collect(t)
	c := start(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+spans.endpoint, "OTEL_BSP_SCHEDULE_DELAY=200", system.NoSweep, system.ShortLease)
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	from := newCaller(t, c.System)
	c.HoldNotices(t)
	const text = "one two"
	reserved := system.Reserve(t, from.Client, "unnotified.txt", "text/plain", text)
	if status, body := system.Put(t, reserved.Upload, text, nil); status != http.StatusOK {
		t.Fatalf("the upload returned %d: %s", status, body)
	}
	system.AfterLease()

	analyzer := c.Service(t, "analyzer")
	sweep := system.System{HTTP: analyzer.Operator}
	if resp, body := sweep.Ask(t, http.MethodPost, "/v1/sweeps", system.JSONHeader, "{}"); resp.StatusCode != http.StatusOK {
		t.Fatalf("the sweep returned %d: %s", resp.StatusCode, body)
	}
	system.Await(t, from.Client, reserved.FileID)
	system.Eventually(t, func() error {
		return linked(spans.trace(from.trace), "analyzer upload detected", func(trace, span string) bool {
			return trace != from.trace && strings.HasSuffix(path(spans.trace(trace), span), "analyzer sweep textfile > analyzer repair unnotified_upload")
		})
	})
}

// linked returns an error unless a span whose path ends with the name has a link for which to returns true.
func linked(spans map[string]span, name string, to func(traceID, spanID string) bool) error {
	for id, s := range spans {
		if !strings.HasSuffix(path(spans, id), name) {
			continue
		}
		for _, link := range s.Links().All() {
			if to(link.TraceID().String(), link.SpanID().String()) {
				return nil
			}
		}
	}
	return fmt.Errorf("no span %q has the link: %s", name, strings.Join(paths(spans), "\n"))
}
