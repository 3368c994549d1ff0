package feed

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/ingest/feed/source/newsapi/newsapitest"
)

// sourcesEnv contains the settings that allow sources on loopback and poll them every 50 ms.
var sourcesEnv = []string{
	"ASSAY_SOURCES_EVERY=50ms", "ASSAY_SOURCES_MIN_INTERVAL=50ms", "ASSAY_SOURCES_ALLOW_NETWORKS=127.0.0.0/8",
	"ASSAY_NEWSAPI_KEY=" + newsapitest.Key, "ASSAY_NEWSAPI_KEY_OLD=expired",
}

// feedSource is a source in the operator API.
type feedSource struct {
	Name, Kind, URL, Interval, KeyVariable string
	Enabled                                bool
	Quota                                  int
	Tags                                   []string
	State                                  struct {
		Status, Reason      string
		Failures, QuotaUsed int
		LastPoll            *struct {
			Outcome, Detail string
			Taken           struct{ Created, Duplicate, Invalid, Skipped int }
		}
	}
}

// putSource creates a source, or changes it if etag is not empty, and returns its new ETag.
func putSource(t *testing.T, operator, name, etag string, put system.Settings) string {
	t.Helper()
	header := map[string]string{"Content-Type": "application/json"}
	if etag != "" {
		header["If-Match"] = etag
	}
	resp, body := system.System{HTTP: operator}.Ask(t, http.MethodPut, "/v1/feed/sources/"+name, header, system.JSON(put))
	if want := map[bool]int{true: http.StatusCreated, false: http.StatusOK}[etag == ""]; resp.StatusCode != want {
		t.Fatalf("put %s: %d %s, want %d", name, resp.StatusCode, body, want)
	}
	return resp.Header.Get("ETag")
}

func getSource(t *testing.T, operator, name string) feedSource {
	t.Helper()
	resp, body := system.System{HTTP: operator}.Ask(t, http.MethodGet, "/v1/feed/sources/"+name, nil, "")
	if resp.StatusCode != http.StatusOK || resp.Header.Get("ETag") == "" {
		t.Fatalf("get %s: %d %s, want 200 and an ETag", name, resp.StatusCode, body)
	}
	if strings.Contains(body, newsapitest.Key) {
		t.Errorf("the source contains its API key: %s", body)
	}
	var got feedSource
	system.Decode(t, body, &got)
	return got
}

// awaitOutcome waits until the last poll of a source has an outcome, and returns the source.
func awaitOutcome(t *testing.T, operator, name, outcome string) feedSource {
	t.Helper()
	var got feedSource
	system.Eventually(t, func() error {
		if got = getSource(t, operator, name); got.State.LastPoll == nil || got.State.LastPoll.Outcome != outcome {
			return fmt.Errorf("the source is %s, want %s", system.JSON(got.State), outcome)
		}
		return nil
	})
	return got
}

// utcDay returns the UTC day by which quotas are counted. A test compares the use of quotas only if the day has not
// changed.
func utcDay() string { return time.Now().UTC().Format(time.DateOnly) }
