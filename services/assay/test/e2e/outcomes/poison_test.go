package outcomes

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// blocker is a proxy in front of the bucket. It blocks every read of the object of one file and notifies the test.
type blocker struct {
	url     string
	blocked chan struct{}
}

func startBlocker(t *testing.T, s system.System, fileID string) *blocker {
	t.Helper()
	through := system.Forward(t, s.S3)
	over := make(chan struct{})
	n := &blocker{blocked: make(chan struct{}, 64)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, fileID) {
			through.ServeHTTP(w, r)
			return
		}
		n.blocked <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(over) })
	n.url = server.URL
	return n
}

// poisoned starts a cluster without an analyzer, and uploads a poison file, whose reads are blocked, and several other
// files.
func poisoned(t *testing.T, env ...string) (c *system.Cluster, user *client.Client, poison string, others map[string]string, s *blocker) {
	t.Helper()
	c = system.StartCluster(t, env...)
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	user = c.Client(t, system.NewOwner())
	poison = system.UploadPresigned(t, user, "poison.txt", "text/plain", []byte("poison")).FileID
	others = map[string]string{}
	for i := range 12 {
		text := system.RandomText(uint64(170+i), 100)
		others[system.UploadPresigned(t, user, fmt.Sprint(i), "text/plain", []byte(text)).FileID] = text
	}
	return c, user, poison, others, startBlocker(t, c.System, poison)
}

func checkPoison(t *testing.T, c *system.Cluster, user *client.Client, poison string, others map[string]string, reason string) {
	t.Helper()
	for id, text := range others {
		system.CheckResult(t, system.Await(t, user, id), system.Count(text))
	}
	file := system.Await(t, user, poison)
	if file.Status != client.Failed || file.ErrorMessage != reason {
		t.Errorf("the poison file is %s with the message %q, want %s with %q", file.Status, file.ErrorMessage, client.Failed, reason)
	}
	js := c.JetStream(t)
	for id := range others {
		if ids := c.Outcomes(t, js, id); len(ids) != 1 {
			t.Errorf("outcomes of another file: %v, want one", ids)
		}
	}
	if ids := c.Outcomes(t, js, poison); len(ids) != 1 {
		t.Errorf("outcomes of the poison file: %v, want one", ids)
	}
}

// TestHangingFileFails: a file whose analysis does not end becomes FAILED after its time limit, and other files are
// analyzed.
func TestHangingFileFails(t *testing.T) {
	t.Parallel()
	c, user, poison, others, s := poisoned(t, "ASSAY_ANALYSIS_TIME=1s", "ASSAY_ANALYZER_PARALLEL=2")
	c.Service(t, "analyzer", "ASSAY_S3_ENDPOINT="+s.url)
	checkPoison(t, c, user, poison, others, "the analysis took longer than 1s in 3 attempts")
	if n := len(s.blocked); n != 3 {
		t.Errorf("%d attempts, want 3", n)
	}
}

// TestCrashingFileFails: a file whose analysis crashes the worker and the NATS server together, as in one process,
// becomes FAILED, although the server can lose its count of deliveries. Other files are analyzed.
func TestCrashingFileFails(t *testing.T) {
	t.Parallel()
	const attempts = 3
	c, user, poison, others, s := poisoned(t, "ASSAY_ATTEMPTS="+fmt.Sprint(attempts), "ASSAY_ANALYZER_PARALLEL=2")
	kills := 0
	for kills < attempts {
		analyzer := c.Service(t, "analyzer", "ASSAY_S3_ENDPOINT="+s.url)
		select {
		case <-s.blocked:
		case <-system.Within(t).Done():
			t.Fatalf("%d attempts, want %d", kills, attempts)
		}
		c.NATSEngine.Kill(t)
		analyzer.Kill(t)
		kills++
		c.NATSEngine.Start(t)
	}
	c.Service(t, "analyzer", "ASSAY_S3_ENDPOINT="+s.url)
	checkPoison(t, c, user, poison, others, "gave up after 3 attempts; in the last one, the worker died or lost its connection")
	if n := len(s.blocked); n != 0 {
		t.Errorf("%d attempts beyond the limit, want 0", n)
	}
}

// TestRestartsAreNotAttempts: a file that was in progress at more shutdowns of its analyzer than the limit of attempts
// is still analyzed.
func TestRestartsAreNotAttempts(t *testing.T) {
	t.Parallel()
	const attempts = 2
	c := system.StartCluster(t, "ASSAY_ATTEMPTS=2", "ASSAY_DRAIN=10ms", "ASSAY_LEASE=10m")
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	user := c.Client(t, system.NewOwner())
	text := system.RandomText(190, 100)
	file := system.UploadPresigned(t, user, "held.txt", "text/plain", []byte(text))
	s := startBlocker(t, c.System, file.FileID)
	for range 2*attempts + 1 {
		analyzer := c.Service(t, "analyzer", "ASSAY_S3_ENDPOINT="+s.url)
		select {
		case <-s.blocked:
		case <-system.Within(t).Done():
			t.Fatal("no analyzer received the file")
		}
		if status := analyzer.Interrupt(t); status != 0 {
			t.Errorf("the exit status of a stopped analyzer is %d, want 0", status)
		}
	}
	c.Service(t, "analyzer")
	system.CheckResult(t, system.Await(t, user, file.FileID), system.Count(text))
	js := c.JetStream(t)
	if ids := c.Outcomes(t, js, file.FileID); len(ids) != 1 {
		t.Errorf("outcomes %v, want one", ids)
	}
	dead, err := js.Stream(system.Within(t), bus.StreamDead)
	if err != nil {
		t.Fatal(err)
	}
	if n := dead.CachedInfo().State.Msgs; n != 0 {
		t.Errorf("%d dead letters, want 0", n)
	}
}
