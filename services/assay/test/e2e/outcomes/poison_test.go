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

// snare is a proxy in front of the bucket: it blocks every read of the object of one file and
// notifies the test.
type snare struct {
	url    string
	caught chan struct{}
}

func startSnare(t *testing.T, s system.System, fileID string) *snare {
	t.Helper()
	through := system.Forward(t, s.S3)
	over := make(chan struct{})
	n := &snare{caught: make(chan struct{}, 64)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, fileID) {
			through.ServeHTTP(w, r)
			return
		}
		n.caught <- struct{}{}
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

// poisoned returns a cluster with one file that a snare blocks and several others, none of them
// analyzed.
func poisoned(t *testing.T, env ...string) (c *system.Cluster, speaker *client.Client, poison string, neighbours map[string]string, s *snare) {
	t.Helper()
	c = system.StartCluster(t, env...)
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	speaker = c.Client(t, system.NewOwner())
	poison = system.UploadPresigned(t, speaker, "poison.txt", "text/plain", []byte("poison")).FileID
	neighbours = map[string]string{}
	for i := range 12 {
		text := system.RandomText(uint64(170+i), 100)
		neighbours[system.UploadPresigned(t, speaker, fmt.Sprint(i), "text/plain", []byte(text)).FileID] = text
	}
	return c, speaker, poison, neighbours, startSnare(t, c.System, poison)
}

func checkPoison(t *testing.T, c *system.Cluster, speaker *client.Client, poison string, neighbours map[string]string, says string) {
	t.Helper()
	for id, text := range neighbours {
		system.CheckResult(t, system.Await(t, speaker, id), system.Count(text))
	}
	file := system.Await(t, speaker, poison)
	if file.Status != client.Failed || file.ErrorMessage != says {
		t.Errorf("the poison file is %s with the message %q", file.Status, file.ErrorMessage)
	}
	js := c.JetStream(t)
	for id := range neighbours {
		if ids := c.Outcomes(t, js, id); len(ids) != 1 {
			t.Errorf("outcomes of another file: %v", ids)
		}
	}
	if ids := c.Outcomes(t, js, poison); len(ids) != 1 {
		t.Errorf("outcomes of the poison file: %v", ids)
	}
}

// TestHangingFileFails: a file whose analysis does not end becomes FAILED after its time limit,
// and other files are analyzed.
func TestHangingFileFails(t *testing.T) {
	t.Parallel()
	c, speaker, poison, neighbours, s := poisoned(t, "ASSAY_ANALYSIS_TIME=1s", "ASSAY_ANALYZER_PARALLEL=2")
	c.Service(t, "analyzer", "ASSAY_S3_ENDPOINT="+s.url)
	checkPoison(t, c, speaker, poison, neighbours, "the analysis took longer than 1s in 3 attempts")
	if n := len(s.caught); n != 3 {
		t.Errorf("%d attempts", n)
	}
}

// TestCrashingFileFails: a file whose analysis crashes worker and NATS server together, as in
// one process, becomes FAILED, although the server may forget each delivery of the file. Other
// files are analyzed.
func TestCrashingFileFails(t *testing.T) {
	t.Parallel()
	const attempts = 3
	c, speaker, poison, neighbours, s := poisoned(t, "ASSAY_ATTEMPTS="+fmt.Sprint(attempts), "ASSAY_ANALYZER_PARALLEL=2")
	kills := 0
	for kills < attempts {
		doomed := c.Service(t, "analyzer", "ASSAY_S3_ENDPOINT="+s.url)
		select {
		case <-s.caught:
		case <-system.Within(t).Done():
			t.Fatalf("no attempt after %d", kills)
		}
		c.NATSEngine.Kill(t)
		doomed.Kill(t)
		kills++
		c.NATSEngine.Start(t)
	}
	c.Service(t, "analyzer", "ASSAY_S3_ENDPOINT="+s.url)
	checkPoison(t, c, speaker, poison, neighbours, "gave up after 3 attempts; in the last one, the worker died or lost its connection")
	if n := len(s.caught); n != 0 {
		t.Errorf("%d attempts too many", n)
	}
}

// TestRestartsAreNotAttempts: a file that is in progress at every shutdown of its
// analyzer, more often than the limit of attempts, is analyzed nevertheless.
func TestRestartsAreNotAttempts(t *testing.T) {
	t.Parallel()
	const attempts = 2
	c := system.StartCluster(t, "ASSAY_ATTEMPTS=2", "ASSAY_DRAIN=10ms", "ASSAY_LEASE=10m")
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	speaker := c.Client(t, system.NewOwner())
	text := system.RandomText(190, 100)
	file := system.UploadPresigned(t, speaker, "held.txt", "text/plain", []byte(text))
	s := startSnare(t, c.System, file.FileID)
	for range 2*attempts + 1 {
		analyzer := c.Service(t, "analyzer", "ASSAY_S3_ENDPOINT="+s.url)
		select {
		case <-s.caught:
		case <-system.Within(t).Done():
			t.Fatal("no analyzer received the file")
		}
		if status := analyzer.Interrupt(t); status != 0 {
			t.Errorf("a stopped analyzer has the exit status %d", status)
		}
	}
	c.Service(t, "analyzer")
	system.CheckResult(t, system.Await(t, speaker, file.FileID), system.Count(text))
	js := c.JetStream(t)
	if ids := c.Outcomes(t, js, file.FileID); len(ids) != 1 {
		t.Errorf("outcomes: %v", ids)
	}
	dead, err := js.Stream(system.Within(t), bus.StreamDead)
	if err != nil {
		t.Fatal(err)
	}
	if n := dead.CachedInfo().State.Msgs; n != 0 {
		t.Errorf("%d dead letters", n)
	}
}
