package system

import (
	"flag"
	"maps"
	"net/http"
	"strings"
	"testing"
)

var onServe = flag.Bool("e2e.serve", false, "prove promises on `assay serve` instead of on services with the permissions of deploy/")

// Promises maps names to functions, each of which proves a promise of a running system, regardless of the number of its
// programs. The functions run in parallel and leave the system running.
type Promises map[string]func(*testing.T, System)

// Prove proves the promises, each as a parallel subtest of t.
func (p Promises) Prove(t *testing.T, s System) {
	for name, promise := range p {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			promise(t, s)
		})
	}
}

// Test proves the promises on a system that it starts.
func (p Promises) Test(t *testing.T) {
	t.Helper()
	if *onServe {
		p.Prove(t, StartServer(t, t.TempDir()).System)
		return
	}
	p.ProveOnServices(t, NewGuard(t).Start)
}

// ProveOnServices proves the promises on one process of each service, whose permissions must be sufficient.
func (p Promises) ProveOnServices(t *testing.T, start Starter) {
	t.Helper()
	c := start(t)
	services := []*Service{c.Service(t, "ingest"), c.Service(t, "query"), c.Service(t, "analyzer")}
	c.Front(t, services[0], services[1], services[2])
	t.Run("on services", func(t *testing.T) { p.Prove(t, c.System) })
	for _, s := range services {
		if status, body := Get(t, s.URL+"/readyz"); status != http.StatusOK {
			t.Errorf("readyz returned %d, want 200: %s", status, body)
		}
		if strings.Contains(s.Output.String(), "NATS rejected a request") {
			t.Errorf("NATS rejected a request:\n%s", s.Output.Tail(8000))
		}
	}
}

// Scenarios maps names to functions, each of which proves a promise on its own services, which it starts and stops. Each
// receives a function that starts the engines.
type Scenarios map[string]func(*testing.T, Starter)

// Test proves each promise as a parallel subtest of t, on services with the permissions of deploy/.
func (s Scenarios) Test(t *testing.T) { s.Prove(t, NewGuard(t).Start) }

// Prove proves each promise as a parallel subtest of t.
func (s Scenarios) Prove(t *testing.T, start Starter) {
	for name, scenario := range s {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scenario(t, start)
		})
	}
}

// Starter is StartCluster, or a function like it that limits the permissions of the programs.
type Starter func(t *testing.T, env ...string) *Cluster

// Join returns the promises of several maps, whose names must differ.
func Join[M ~map[string]F, F any](all ...M) M {
	joined := M{}
	for _, each := range all {
		maps.Copy(joined, each)
	}
	return joined
}
