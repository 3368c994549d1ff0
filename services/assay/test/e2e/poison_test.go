package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/services/assay/client"
)

// snare is a proxy in front of the bucket: a read of the object of one file blocks
// forever, and the test is notified.
type snare struct {
	url    string
	caught chan struct{}
}

// passTo returns a proxy in front of an engine.
func passTo(t *testing.T, engine string) *httputil.ReverseProxy {
	t.Helper()
	target, err := url.Parse(engine)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host // is signed
	}}
}

func startSnare(t *testing.T, s system, fileID string) *snare {
	t.Helper()
	through := passTo(t, s.S3)
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

// poisoned returns a cluster with one file that a snare blocks, and neighbors, none
// of them analyzed.
func poisoned(t *testing.T, env ...string) (c *cluster, speaker *client.Client, poison string, neighbours map[string]string, s *snare) {
	t.Helper()
	c = startCluster(t, env...)
	c.front(t, c.service(t, "ingest"), c.service(t, "query"))
	speaker = c.client(t, newOwner())
	poison = presigned(t, speaker, "poison.txt", "text/plain", []byte("poison")).FileID
	neighbours = map[string]string{}
	for i := range 12 {
		text := randomText(uint64(170+i), 100)
		neighbours[presigned(t, speaker, fmt.Sprint(i), "text/plain", []byte(text)).FileID] = text
	}
	return c, speaker, poison, neighbours, startSnare(t, c.system, poison)
}

func checkPoison(t *testing.T, c *cluster, speaker *client.Client, poison string, neighbours map[string]string, says string) {
	t.Helper()
	for id, text := range neighbours {
		checkResult(t, final(t, speaker, id), count(text))
	}
	file := final(t, speaker, poison)
	if file.Status != client.Failed || file.ErrorMessage != says {
		t.Errorf("the poison is %s, and says %q", file.Status, file.ErrorMessage)
	}
	js := c.jetStream(t)
	for id := range neighbours {
		if ids := c.outcomes(t, js, id); len(ids) != 1 {
			t.Errorf("outcomes of a neighbour: %v", ids)
		}
	}
	if ids := c.outcomes(t, js, poison); len(ids) != 1 {
		t.Errorf("outcomes of the poison: %v", ids)
	}
}

// TestPoisonThatHangsFails: a file whose analysis does not end is given
// up after its time limit, and its neighbors are analyzed.
func TestPoisonThatHangsFails(t *testing.T) {
	t.Parallel()
	c, speaker, poison, neighbours, s := poisoned(t, "ASSAY_ANALYSIS_TIME=1s", "ASSAY_ANALYZER_PARALLEL=2")
	c.service(t, "analyzer", "ASSAY_S3_ENDPOINT="+s.url)
	checkPoison(t, c, speaker, poison, neighbours, "the analysis took longer than 1s in 3 attempts")
	if n := len(s.caught); n != 3 {
		t.Errorf("%d attempts", n)
	}
}

// TestPoisonThatKillsFails: a file whose analysis kills worker and NATS server
// together, as in one process, ends as FAILED, although the server may forget
// each delivery of the file. Its neighbors are analyzed.
func TestPoisonThatKillsFails(t *testing.T) {
	t.Parallel()
	const attempts = 3
	c, speaker, poison, neighbours, s := poisoned(t, "ASSAY_ATTEMPTS="+fmt.Sprint(attempts), "ASSAY_ANALYZER_PARALLEL=2")
	kills := 0
	for kills < attempts {
		doomed := c.service(t, "analyzer", "ASSAY_S3_ENDPOINT="+s.url)
		select {
		case <-s.caught:
		case <-within(t).Done():
			t.Fatalf("no attempt after %d", kills)
		}
		c.nats.kill(t)
		doomed.kill(t)
		kills++
		c.nats.start(t)
	}
	c.service(t, "analyzer", "ASSAY_S3_ENDPOINT="+s.url)
	checkPoison(t, c, speaker, poison, neighbours, "gave up after 3 attempts; in the last one, the worker died or lost its connection")
	if n := len(s.caught); n != 0 {
		t.Errorf("%d attempts too many", n)
	}
}

// TestRestartsAreNoAttempts: a file that is in progress at every shutdown of its
// analyzer, more often than the limit of attempts, is analyzed nevertheless.
func TestRestartsAreNoAttempts(t *testing.T) {
	t.Parallel()
	const attempts = 2
	c := startCluster(t, "ASSAY_ATTEMPTS=2", "ASSAY_DRAIN=10ms", "ASSAY_LEASE=10m")
	c.front(t, c.service(t, "ingest"), c.service(t, "query"))
	speaker := c.client(t, newOwner())
	text := randomText(190, 100)
	file := presigned(t, speaker, "held.txt", "text/plain", []byte(text))
	s := startSnare(t, c.system, file.FileID)
	for range 2*attempts + 1 {
		analyzer := c.service(t, "analyzer", "ASSAY_S3_ENDPOINT="+s.url)
		select {
		case <-s.caught:
		case <-within(t).Done():
			t.Fatal("no analyzer got the file")
		}
		if status := analyzer.interrupt(t); status != 0 {
			t.Errorf("a stopped analyzer has the exit status %d", status)
		}
	}
	c.service(t, "analyzer")
	checkResult(t, final(t, speaker, file.FileID), count(text))
	js := c.jetStream(t)
	if ids := c.outcomes(t, js, file.FileID); len(ids) != 1 {
		t.Errorf("outcomes: %v", ids)
	}
	dead, err := js.Stream(within(t), bus.StreamDead)
	if err != nil {
		t.Fatal(err)
	}
	if n := dead.CachedInfo().State.Msgs; n != 0 {
		t.Errorf("%d dead letters", n)
	}
}
