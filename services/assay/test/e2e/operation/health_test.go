package operation

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestReadiness: readyz names the engine that is down, and succeeds again once the engine runs; healthz always succeeds.
func TestReadiness(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t)
	services := map[string]*system.Service{}
	for _, role := range []string{"ingest", "analyzer", "query"} {
		services[role] = c.Service(t, role)
	}
	c.Front(t, services["ingest"], services["query"])
	allReady := func() error {
		for role, s := range services {
			if err := readiness(t, s.URL, http.StatusOK, "ready", ""); err != nil {
				return fmt.Errorf("%s: %w", role, err)
			}
		}
		return nil
	}
	system.Eventually(t, allReady)
	for name, engine := range map[string]*system.EngineProgram{"nats": c.NATSEngine, "dynamodb": c.DynamoDBEngine, "s3": c.S3Engine} {
		engine.Kill(t)
		for role, s := range services {
			system.Eventually(t, func() error {
				if err := readiness(t, s.URL, http.StatusServiceUnavailable, "not ready", name); err != nil {
					return fmt.Errorf("%s without %s: %w", role, name, err)
				}
				return nil
			})
			if status, body := system.Get(t, s.URL+"/healthz"); status != http.StatusOK {
				t.Errorf("healthz of %s without %s: %d %s, want 200", role, name, status, body)
			}
		}
		engine.Start(t)
		system.Eventually(t, allReady)
		user := c.Client(t, system.NewOwner())
		text := system.RandomText(171, 60)
		system.CheckResult(t, system.Await(t, user, system.UploadPresigned(t, user, "after.txt", "text/plain", []byte(text)).FileID), system.Count(text))
	}
}

// readiness returns an error unless readyz returns this status and text, and only the check of the engine that is down
// fails.
func readiness(t *testing.T, url string, status int, text, down string) error {
	t.Helper()
	got, body := system.Get(t, url+"/readyz")
	var answer struct {
		Status string
		Checks map[string]string
	}
	system.Decode(t, body, &answer)
	if got != status || answer.Status != text || len(answer.Checks) < 3 {
		return fmt.Errorf("readyz returned %d %s, want %d %q", got, body, status, text)
	}
	for name, state := range answer.Checks {
		if name == "live events" && down == "nats" {
			continue // live events fail some seconds after NATS
		}
		if (state != "ok") != (name == down) {
			return fmt.Errorf("readyz reports %s: %s, want ok for all checks except %q", name, state, down)
		}
	}
	return nil
}

// metricsExist: after an upload, the documented metrics exist.
func metricsExist(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	file := system.Await(t, c, system.UploadPresigned(t, c, "measured.txt", "text/plain", []byte("one two")).FileID)
	s.Outcomes(t, s.JetStream(t), file.FileID)
	_, body := system.Get(t, s.Operator+"/metrics")
	for _, series := range []string{
		`assay_http_requests_total{method="POST",route="/v1/files",status="201"}`,
		`assay_http_request_duration_seconds_count{method="POST",route="/v1/files",status="201"}`,
		`assay_http_requests_in_flight`,
		`assay_events_published_total{result="ok",service="ingest",type="assay.v1.FileUploaded"}`,
		`assay_events_published_total{result="ok",service="analyzer",type="assay.v1.AnalysisCompleted"}`,
		`assay_attempt_duration_seconds_count{area="textfile",consumer="analyzer-textfile",outcome="done",service="analyzer"}`,
		`assay_attempt_duration_seconds_count{area="",consumer="ingest-notice",outcome="done",service="ingest"}`,
		`assay_work_in_flight{area="textfile",consumer="analyzer-textfile",service="analyzer"}`,
		`assay_analyses_total{area="textfile",outcome="completed"}`,
		`go_goroutines`, `process_resident_memory_bytes`,
	} {
		if !strings.Contains(body, "\n"+series+" ") {
			t.Errorf("the metrics do not contain %s", series)
		}
	}
	if strings.Contains(body, file.FileID) {
		t.Error("the metrics contain a file id, want none: each file would be a separate series")
	}
}
