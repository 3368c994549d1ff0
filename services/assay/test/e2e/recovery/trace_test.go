package recovery

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestCrashesOfServeAreTraced: `assay serve` is killed twice, backends included, while it fetches the same page. `assay trace`
// shows the attempt in progress and, at the end, both crashed attempts and the third, which completes.
func TestCrashesOfServeAreTraced(t *testing.T) {
	t.Parallel()
	free := make(chan struct{}) // closed when the page can be fetched
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-free:
		case <-r.Context().Done(): // the server was killed
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><head><title>Tides</title></head><body><p>The moon raises the ocean.</p></body></html>")
	}))
	t.Cleanup(site.Close)
	s := system.StartServer(t, t.TempDir(), system.ShortLease, system.NoSweep, "ASSAY_PAGES_ALLOW_NETWORKS=127.0.0.1/32")
	owner := system.NewOwner()
	page, err := s.Client(t, owner).ImportPage(system.Within(t), client.NewPage{URL: site.URL + "/tides"})
	if err != nil {
		t.Fatal(err)
	}
	for crash := range 2 {
		system.Eventually(t, func() error {
			v, err := operatorOf(t, s.System).Trace(system.Within(t), page.ID, "library")
			if err != nil {
				return err
			}
			if len(v.Attempts) == 1 && len(v.Messages) == 1 && v.Messages[0].State == "delivered" {
				if all := v.Attempts[0].Attempts; len(all) == crash+1 && all[crash].Number == crash+1 && all[crash].Outcome == "open" {
					return nil
				}
			}
			return fmt.Errorf("the trace is %+v, want attempt %d in progress", v, crash+1)
		})
		s.Program.Kill(t)
		s.Restart(t)
	}
	close(free)
	if n, err := s.Client(t, owner).WaitNode(system.Within(t), page.ID); err != nil || n.Status != client.LibraryProcessed {
		t.Fatalf("the page is %+v, %v, want it processed", n, err)
	}
	checkCrashes(t, s.System, page.ID, "analyzer-library-fetch")
}
