package e2e

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/assay/test/fault/ledger"
)

var (
	faultUploads = flag.Int("fault.uploads", 150, "how many uploads each run under kills makes")
	faultSeed    = flag.Uint64("fault.seed", 13, "when what is killed")
)

// uploadsPerKill is the number of uploads per kill in a long run.
const uploadsPerKill = 500

// kills returns the number of kills in a run.
func kills(least int) int { return max(least, *faultUploads/uploadsPerKill) }

// shortProjectorLease lets another projector take over soon after a kill.
const shortProjectorLease = "ASSAY_PROJECTOR_LEASE=1s"

// killed is the meaning of "accepted" in runs with kills.
const killed = "The client received the 2xx of its upload: of the multipart request, of the `uploaded` call, of the PUT where a " +
	"bucket notification follows, or of the feed items."

// TestKillLosesNothing: the server is killed several times in the middle of
// uploads of every kind. Every accepted upload ends as promised, once.
func TestKillLosesNothing(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir(), shortLease, shortProjectorLease)
	ctx, cancel := context.WithTimeout(t.Context(), loadTime())
	defer cancel()
	l := startLoad(ctx, t, s.system, *faultUploads)
	random := rand.New(rand.NewPCG(*faultSeed, 0))
	parts := kills(3)
	l.during(random, parts, func(int) {
		s.program.kill(t)
		s.restart(t)
	})
	enter(t, ledger.Run{Fault: "`kill -9` of `assay serve`, backends included", Runs: parts}, l.audit(ctx, t))
}

// TestKilledServicesLoseNothing: ingest, analyzer and query are killed in turn in
// the middle of uploads, while the engines and the other services keep running.
func TestKilledServicesLoseNothing(t *testing.T) {
	t.Parallel()
	c := startCluster(t, shortProjectorLease)
	ingest, query := "ASSAY_ADDR="+keepableAddr(t), "ASSAY_ADDR="+keepableAddr(t)
	running := map[string]*service{
		"ingest": c.service(t, "ingest", ingest), "query": c.service(t, "query", query), "analyzer": c.service(t, "analyzer"),
	}
	c.front(t, running["ingest"], running["query"])
	env := map[string]string{"ingest": ingest, "query": query, "analyzer": "ASSAY_ADDR=127.0.0.1:0"}
	ctx, cancel := context.WithTimeout(t.Context(), loadTime())
	defer cancel()
	l := startLoad(ctx, t, c.system, *faultUploads)
	random := rand.New(rand.NewPCG(*faultSeed, 1))
	var deaths []time.Time // of analyzers
	parts := kills(6)
	l.during(random, parts, func(kill int) {
		role := []string{"ingest", "analyzer", "query"}[kill%3]
		running[role].kill(t)
		if role == "analyzer" {
			deaths = append(deaths, time.Now())
		}
		running[role] = c.service(t, role, env[role])
	})
	report := l.audit(ctx, t)
	enter(t, ledger.Run{
		Fault: "`kill -9` of ingest, analyzer and query in turn; the backends keep running", Runs: parts,
		Recovery: report.Recovery(l.promises, deaths), Lease: time.Second,
	}, report)
}

// loadTime bounds a load.
func loadTime() time.Duration {
	return 2*time.Minute + time.Duration(*faultUploads)*500*time.Millisecond
}

// enter records a run for docs/faults.md.
func enter(t *testing.T, run ledger.Run, report audit.Report) {
	t.Helper()
	run.Means, run.Seed = killed, *faultSeed
	if err := ledger.Enter(run.Of(report)); err != nil {
		t.Error(err)
	}
}

// putOnly reserves and puts; only the bucket's notification reports the upload.
func putOnly(ctx context.Context, c *client.Client, name, text, key string) (string, error) {
	reserved, err := c.Reserve(ctx, client.Reservation{FileName: name, Size: int64(len(text)), Key: key})
	if err != nil || reserved.Status != client.Pending {
		return reserved.FileID, err
	}
	req, err := putBytes(ctx, reserved.Upload, text)
	if err != nil {
		return "", err
	}
	resp, body, err := roundTrip(req)
	switch {
	case err != nil:
		return "", err
	case resp.StatusCode == http.StatusPreconditionFailed:
		// An earlier try stored them and may have died before the notification.
		_, err = c.Uploaded(ctx, reserved.FileID)
	case resp.StatusCode != http.StatusOK:
		err = fmt.Errorf("the bucket answered %d: %s", resp.StatusCode, body)
	}
	return reserved.FileID, err
}

func source(name, text string) client.Source {
	return client.Source{
		Reservation: client.Reservation{FileName: name, Size: int64(len(text)), ContentType: "text/plain"}, Content: strings.NewReader(text),
	}
}

func posted(name, text, key string) client.Posted {
	return client.Posted{FileName: name, ContentType: "text/plain", Content: strings.NewReader(text), Key: key}
}
