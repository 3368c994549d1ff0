package recovery

import (
	"cmp"
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/assay/test/fault/ledger"
)

// uploadsPerKill is the number of uploads between kills in a long run.
const uploadsPerKill = 500

// kills returns the number of kills in a run.
func kills(least int) int { return max(least, system.LoadUploads()/uploadsPerKill) }

// shortProjectorLease lets another projector take over soon after a kill.
const shortProjectorLease = "ASSAY_PROJECTOR_LEASE=1s"

// killed is the meaning of "accepted" in runs with kills.
const killed = "The client received the 2xx of its request: a multipart upload, an `uploaded` call, a PUT if a bucket " +
	"notification follows, or a POST of feed items."

// TestKillLosesNothing: the server is killed several times during uploads of every kind. Every accepted upload ends
// once, as promised.
func TestKillLosesNothing(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir(), system.ShortLease, shortProjectorLease)
	ctx, cancel := context.WithTimeout(t.Context(), system.LoadTime())
	defer cancel()
	l := system.StartLoad(ctx, t, s.System, system.LoadUploads())
	random := rand.New(rand.NewPCG(system.LoadSeed(), 0))
	parts := kills(3)
	l.During(random, parts, func(int) {
		s.Program.Kill(t)
		s.Restart(t)
	})
	enter(t, ledger.Run{Fault: "`kill -9` of `assay serve`, backends included", Runs: parts}, l.Audit(ctx, t))
}

// TestKilledServicesLoseNothing: ingest, analyzer and query are killed in turn during uploads, while the engines and the
// other services keep running.
func TestKilledServicesLoseNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("make rounds runs it")
	}
	t.Parallel()
	c := startServices(t)
	ctx, cancel := context.WithTimeout(t.Context(), system.LoadTime())
	defer cancel()
	l := system.StartLoad(ctx, t, c.System, system.LoadUploads())
	random := rand.New(rand.NewPCG(system.LoadSeed(), 1))
	var deaths []time.Time // when analyzers were killed
	parts := kills(6)
	l.During(random, parts, func(kill int) {
		role := roles[kill%len(roles)]
		c.running[role].Kill(t)
		if role == "analyzer" {
			deaths = append(deaths, time.Now())
		}
		c.restart(t, role)
	})
	report := l.Audit(ctx, t)
	enter(t, ledger.Run{
		Fault: "`kill -9` of ingest, analyzer and query in turn; the backends keep running", Runs: parts,
		Recovery: report.Recovery(l.Promises, deaths), Lease: time.Second,
	}, report)
}

// roles lists the services in the order in which they are killed.
var roles = [...]string{"ingest", "analyzer", "query"}

// services contains ingest, query and analyzer as separate processes, which keep their addresses after a restart, behind
// a gateway.
type services struct {
	*system.Cluster
	env     map[string]string
	running map[string]*system.Service
}

func startServices(t *testing.T) services {
	t.Helper()
	s := services{Cluster: system.StartCluster(t, shortProjectorLease), running: map[string]*system.Service{}, env: map[string]string{
		"ingest": "ASSAY_ADDR=" + system.KeepableAddr(t), "query": "ASSAY_ADDR=" + system.KeepableAddr(t), "analyzer": "ASSAY_ADDR=127.0.0.1:0",
	}}
	for _, role := range roles {
		s.restart(t, role)
	}
	s.Front(t, s.running["ingest"], s.running["query"])
	return s
}

// restart starts a service that is not running.
func (s services) restart(t *testing.T, role string) {
	t.Helper()
	s.running[role] = s.Service(t, role, s.env[role])
}

// enter records a run for docs/faults.md.
func enter(t *testing.T, run ledger.Run, report audit.Report) {
	t.Helper()
	run.Means, run.Seed = cmp.Or(run.Means, killed), system.LoadSeed()
	if err := ledger.Enter(run.Of(report)); err != nil {
		t.Error(err)
	}
}
