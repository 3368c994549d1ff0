package outage

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// silence is a proxy in front of an engine. While it is on, it accepts requests but does not respond to them.
type silence struct {
	url  string
	on   atomic.Bool
	from atomic.Pointer[string] // the next request with this target turns it on
}

func silencing(t *testing.T, engine string) *silence {
	t.Helper()
	through := system.Forward(t, engine)
	s, over := &silence{}, make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if from := s.from.Load(); from != nil && *from == r.Header.Get("X-Amz-Target") && s.from.CompareAndSwap(from, nil) {
			s.on.Store(true)
		}
		if s.on.Load() {
			<-over
			return
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		close(over)
		server.Close()
	})
	s.url = server.URL
	return s
}

// TestSilentEngines: DynamoDB and S3 accept requests but do not respond for a while, so that posts, analyses, the
// projection and the sweep wait for responses. The services log timeouts with the name of the setting, and recover once
// the engines respond again.
func TestSilentEngines(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t, "ASSAY_SWEEP_EVERY=500ms")
	tables, bucket := silencing(t, c.DynamoDB), silencing(t, c.S3)
	env := []string{
		"ASSAY_DYNAMODB_ENDPOINT=" + tables.url, "ASSAY_S3_ENDPOINT=" + bucket.url,
		"ASSAY_DYNAMODB_TIMEOUT=1s", "ASSAY_S3_TIMEOUT=2s",
	}
	ingest, query := c.Service(t, "ingest", env...), c.Service(t, "query", env...)
	c.Service(t, "analyzer", env...)
	c.Front(t, ingest, query)
	tag := system.NewTag()
	c.PostItem(t, system.NewPosting("The book was good.", tag))
	c.AwaitItems(t, tag, 1)

	scan := "DynamoDB_20120810.Scan" // only the sweep scans
	tables.from.Store(&scan)
	query.Await(t, "ASSAY_DYNAMODB_TIMEOUT") // the projector
	if tables.from.Load() != nil {
		t.Error("no sweep has started a scan, want one that waits for a response")
	}
	bucket.on.Store(true)
	during := system.NewPosting("The book was good.", tag)
	if resp, body := c.Ask(t, http.MethodPost, "/v1/feed/items", system.JSONHeader, system.JSON(during)); resp.StatusCode < http.StatusInternalServerError {
		t.Errorf("a post while S3 does not respond: %d %s, want a server error", resp.StatusCode, body)
	}
	ingest.Await(t, "ASSAY_S3_TIMEOUT")
	tables.on.Store(false)
	bucket.on.Store(false)

	c.PostItem(t, during)
	c.PostItem(t, system.NewPosting("The book was good.", tag))
	c.Analyzed(t, during.SourceID)
	c.AwaitItems(t, tag, 3)
	orphan := system.NewPosting("", tag).SourceID
	c.PutPending(t, orphan, "2026-01-02T03:04:05.678Z", nil)
	c.GivenUp(t, orphan) // found by a sweep
}
