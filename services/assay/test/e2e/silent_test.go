package e2e

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// silence is a proxy in front of an engine. While it is on, it accepts requests and responds to
// none of them, not even later.
type silence struct {
	url  string
	on   atomic.Bool
	held sync.Map // operations of DynamoDB
}

func silencing(t *testing.T, engine string) *silence {
	t.Helper()
	through := passTo(t, engine)
	s, over := &silence{}, make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.on.Load() {
			s.held.Store(r.Header.Get("X-Amz-Target"), true)
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

// TestSilentEngines: DynamoDB and S3 accept requests and do not respond for a
// while. The services log it, with the name of the setting, and recover once there are
// responses again: posts, analyses, the projection and the sweep, none of which had
// got a response.
func TestSilentEngines(t *testing.T) {
	t.Parallel()
	c := startCluster(t, "ASSAY_SWEEP_EVERY=100ms")
	tables, bucket := silencing(t, c.DynamoDB), silencing(t, c.S3)
	env := []string{
		"ASSAY_DYNAMODB_ENDPOINT=" + tables.url, "ASSAY_S3_ENDPOINT=" + bucket.url,
		"ASSAY_DYNAMODB_TIMEOUT=1s", "ASSAY_S3_TIMEOUT=2s",
	}
	ingest, query := c.service(t, "ingest", env...), c.service(t, "query", env...)
	c.service(t, "analyzer", env...)
	c.front(t, ingest, query)
	tag := newTag()
	c.postItem(t, newPosting("The book was good.", tag))
	c.awaitItems(t, tag, 1)

	tables.on.Store(true)
	query.await(t, "ASSAY_DYNAMODB_TIMEOUT") // the projector
	eventually(t, func() error {             // the sweep, and nothing else scans
		if _, held := tables.held.Load("DynamoDB_20120810.Scan"); !held {
			return errors.New("no sweep waits for an answer")
		}
		return nil
	})
	bucket.on.Store(true)
	during := newPosting("The book was good.", tag)
	if resp, body := c.ask(t, http.MethodPost, "/v1/feed/items", jsonHeader, show(during)); resp.StatusCode < http.StatusInternalServerError {
		t.Errorf("a post while S3 is silent: %d %s", resp.StatusCode, body)
	}
	ingest.await(t, "ASSAY_S3_TIMEOUT")
	tables.on.Store(false)
	bucket.on.Store(false)

	c.postItem(t, during)
	c.postItem(t, newPosting("The book was good.", tag))
	c.analyzed(t, during.SourceID)
	c.awaitItems(t, tag, 3)
	orphan := newPosting("", tag).SourceID
	c.putPending(t, orphan, "2026-01-02T03:04:05.678Z", nil)
	c.givenUp(t, orphan) // found by a sweep
}
