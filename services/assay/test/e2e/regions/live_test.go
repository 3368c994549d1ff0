package regions

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// lastEventID returns the position at which the live events of a region's feed begin now.
func lastEventID(t *testing.T, r *region) string {
	t.Helper()
	name, id := firstEvent(t, r, "")
	if name != "ready" || id == "" {
		t.Fatalf("the live events of %s begin with %s %q, want ready with an id", r.name, name, id)
	}
	return id
}

// firstEvent returns the name and the id of the first live event of a region's feed, for a reader that continues after an
// event.
func firstEvent(t *testing.T, r *region, after string) (name, id string) {
	t.Helper()
	req, err := http.NewRequestWithContext(system.Within(t), http.MethodGet, r.query.URL+"/v1/feed/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		line := lines.Text()
		if found, ok := strings.CutPrefix(line, "id:"); ok {
			id = strings.TrimSpace(found)
		}
		if found, ok := strings.CutPrefix(line, "event:"); ok {
			name = strings.TrimSpace(found)
		}
		if line == "" && name != "" {
			return name, id
		}
	}
	t.Fatalf("the live events of %s end: %v", r.name, lines.Err())
	return "", ""
}

// checkResync checks that a reader of live events that continues from an event of another region learns that events are
// missing.
func checkResync(t *testing.T, r *region, cursor string) {
	t.Helper()
	if name, _ := firstEvent(t, r, cursor); name != "resync" {
		t.Errorf("for an event id of another region, the stream of %s begins with %s, want resync", r.name, name)
	}
}
