package alerting

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// interval is the scrape interval of the recordings.
const interval = time.Second

// longest is the time for which a recording is continued: longer than any window and "for" of the rules need.
const longest = 30 * time.Minute

// watched is a cluster whose programs are recorded.
type watched struct {
	*system.Cluster
	*recording
	ingest, analyzer, query *system.Service
	api                     *client.Client
}

// watch starts a cluster with one instance of each service, and records it for some seconds.
func watch(t *testing.T, env ...string) *watched {
	t.Helper()
	w := &watched{Cluster: system.StartCluster(t, append([]string{"ASSAY_SWEEP_EVERY=2s"}, env...)...)}
	w.ingest, w.query, w.analyzer = w.Service(t, "ingest"), w.Service(t, "query"), w.Service(t, "analyzer")
	w.Front(t, w.ingest, w.query, w.analyzer)
	w.api = w.Client(t, system.NewOwner())
	w.again(t)
	return w
}

// again begins a new recording, and returns once all areas have been swept and query has read this.
func (w *watched) again(t *testing.T) {
	t.Helper()
	w.recording = newRecording(t, interval,
		target{"assay-ingest", "ingest:8084", func() string { return w.ingest.Operator }},
		target{"assay-query", "query:8085", func() string { return w.query.Operator }},
		target{"assay-analyzer", "analyzer:8086", func() string { return w.analyzer.Operator }},
	)
	w.until(t, each(0, "assay_sweep_last_run_timestamp_seconds"))
}

// upload uploads text files, and returns their ids.
func (w *watched) upload(t *testing.T, n int) []string {
	t.Helper()
	var ids []string
	for i := range n {
		ids = append(ids, system.UploadMultipart(t, w.api, "a.txt", "text/plain", []byte(system.RandomText(uint64(i), 50))).FileID)
	}
	return ids
}

// ended waits until files have reached the given state.
func (w *watched) ended(t *testing.T, ids []string, status string) {
	t.Helper()
	for _, id := range ids {
		if file := system.Await(t, w.api, id); file.Status != status {
			t.Fatalf("the file is %s, want %s", system.JSON(file), status)
		}
	}
}

// post sends a request once, even if a backend does not respond, and returns the status of the response.
func (w *watched) post(t *testing.T, path, body string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(system.Within(t), http.MethodPost, w.ingest.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := w.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	return resp.StatusCode
}

// setProvider changes settings of a photo provider.
func (w *watched) setProvider(t *testing.T, name string, change system.Settings) {
	t.Helper()
	at := system.System{HTTP: w.Operator}
	resp, body := at.Ask(t, http.MethodGet, "/v1/photo-providers/"+name, nil, "")
	all := system.Settings{}
	system.Decode(t, body, &all)
	for _, member := range []string{"name", "state", "$schema"} {
		delete(all, member)
	}
	for member, value := range change {
		all[member] = value
	}
	header := map[string]string{"Content-Type": "application/json", "If-Match": resp.Header.Get("ETag")}
	if resp, body = at.Ask(t, http.MethodPut, "/v1/photo-providers/"+name, header, system.JSON(all)); resp.StatusCode != http.StatusOK {
		t.Fatalf("put %s: %d %s, want 200", name, resp.StatusCode, body)
	}
}

// fill lowers the limit of a stream so that its messages use nine tenths of it.
func (w *watched) fill(t *testing.T, name string) {
	t.Helper()
	js := w.JetStream(t)
	stream, err := js.Stream(system.Within(t), name)
	if err != nil {
		t.Fatal(err)
	}
	info := stream.CachedInfo()
	info.Config.MaxBytes = int64(info.State.Bytes) * 10 / 9
	if _, err := js.UpdateStream(system.Within(t), info.Config); err != nil {
		t.Fatal(err)
	}
}

// deleteConsumer deletes the consumers of a work stream, as a mistaken operator would.
func (w *watched) deleteConsumer(t *testing.T, stream string) {
	t.Helper()
	js := w.JetStream(t)
	work, err := js.Stream(system.Within(t), stream)
	if err != nil {
		t.Fatal(err)
	}
	names := work.ConsumerNames(system.Within(t))
	deleted := 0
	for name := range names.Name() {
		if strings.HasPrefix(name, "analyzer-") {
			deleted++
			if err := js.DeleteConsumer(system.Within(t), stream, name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if names.Err() != nil || deleted == 0 {
		t.Fatalf("deleted %d consumers of %s, error %v, want at least one", deleted, stream, names.Err())
	}
}
