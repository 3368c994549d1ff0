package upgrade

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/fault/ledger"
)

var (
	versions = flag.Bool("upgrade.versions", false, "build the previous release and a next version, and replace every process there and back; without it, processes are replaced by others of this build")
	uploads  = flag.Int("upgrade.uploads", 40, "number of uploads of each run, at 200 a minute")
)

// pause is the time between two uploads: 200 a minute.
const pause = 300 * time.Millisecond

// accepted is the meaning of "accepted" in the runs of this package.
const accepted = "The client received the 2xx of its request. It retries as the responses say, and no call of it failed."

func TestMain(m *testing.M) { system.Main(m) }

func TestScenarios(t *testing.T) { Scenarios().Test(t) }

// process is a process of a service. A version of Assay has two of those that share work, so that both versions run at once.
type process struct{ name, role string }

// processes lists the processes in the order in which an upgrade replaces them: those that read messages before those that
// send them.
var processes = []process{{"query 1", "query"}, {"query 2", "query"}, {"analyzer 1", "analyzer"}, {"analyzer 2", "analyzer"}, {"ingest", "ingest"}}

// installation is a running system. The first query and ingest are behind a gateway.
type installation struct {
	*system.Cluster
	env     map[string]string // address of each process, which its replacement has too
	running map[string]*system.Service
}

// install starts all processes of a version.
func install(t *testing.T, v version) *installation {
	t.Helper()
	i := &installation{Cluster: &system.Cluster{}, env: map[string]string{}, running: map[string]*system.Service{}}
	if v.files != "" {
		i.SetUpBy = v.files + "/assay"
	}
	i.Begin(t, "ASSAY_PROJECTOR_LEASE=1s")
	i.SetUpBy = ""
	for _, p := range processes {
		i.env[p.name] = "ASSAY_ADDR=" + system.KeepableAddr(t)
		i.running[p.name] = v.start(t, i.Cluster, p.role, i.env[p.name])
	}
	i.Front(t, i.running["ingest"], i.running["query 1"], i.running["analyzer 1"])
	return i
}

// replace stops a process as an operator does, and starts one of another version at its address.
func (i *installation) replace(t *testing.T, p process, v version) {
	t.Helper()
	began := time.Now()
	if status := i.running[p.name].Interrupt(t); status != 0 {
		t.Errorf("%s: exit status %d, want 0", p.name, status)
	}
	i.running[p.name] = v.start(t, i.Cluster, p.role, i.env[p.name])
	t.Logf("%s: replaced by version %s in %s", p.name, v.name, time.Since(began).Round(time.Millisecond))
}

// check runs upgrade-check of a version, and returns its report and exit status.
func (i *installation) check(t *testing.T, v version) (setup.Report, int) {
	t.Helper()
	args := []string{"upgrade-check", "--json"}
	for _, p := range processes {
		args = append(args, "--service", i.running[p.name].Operator)
	}
	p := v.assay(t, i.Cluster, args...)
	return reportOf(t, p), p.End(t)
}

// under makes uploads at 200 a minute while it calls the steps at random moments, and requires that no call of the client
// fails and that every promise is kept.
func (i *installation) under(t *testing.T, uploads int, fault string, steps []func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute+2*time.Duration(uploads)*pause)
	defer cancel()
	began := time.Now()
	l := system.StartPacedLoad(ctx, t, i.System, uploads, pause)
	l.During(rand.New(rand.NewPCG(system.LoadSeed(), 43)), len(steps), func(part int) { steps[part]() })
	rate := float64(uploads) / time.Since(began).Minutes()
	t.Logf("%d uploads, %.0f a minute", uploads, rate)
	for _, err := range l.Errors {
		t.Errorf("a client that retries as told got an error: %v", err)
	}
	report := l.Audit(ctx, t)
	run := ledger.Run{Fault: fault, Means: accepted, Runs: 1, Seed: system.LoadSeed()}
	if err := ledger.Enter(run.Of(report)); err != nil {
		t.Error(err)
	}
}

// steps returns functions that replace processes.
func (i *installation) steps(t *testing.T, order []process, v version) []func() {
	t.Helper()
	var all []func()
	for _, p := range order {
		all = append(all, func() { i.replace(t, p, v) })
	}
	return all
}

// TestRollingRestart: every process is replaced by another one of this build, one after another, under load.
func TestRollingRestart(t *testing.T) {
	if testing.Short() {
		t.Skip("make upgrade runs it")
	}
	t.Parallel()
	i := install(t, current)
	report, status := i.check(t, current)
	if status != 0 || len(report.Changes) != 0 || len(report.Services) != len(processes) {
		t.Errorf("upgrade-check: exit status %d, report %+v; want 0, no change and every service", status, report)
	}
	for n, s := range report.Services {
		if s.Error != "" || s.Name != processes[n].role || s.Version != report.Version {
			t.Errorf("upgrade-check: got %+v, want %s of version %s", s, processes[n].role, report.Version)
		}
	}
	i.under(t, *uploads, "a rolling restart of all services", i.steps(t, processes, current))
}

// TestPreviousRelease: every process of the previous release is replaced by one of this build, and then the other way round,
// under load.
func TestPreviousRelease(t *testing.T) {
	if !*versions {
		t.Skip("only with -upgrade.versions, which builds the previous release (make upgrade)")
	}
	old := buildPrevious(t)
	i := install(t, old)
	report, status := i.check(t, current)
	if status != 0 {
		t.Fatalf("upgrade-check: exit status %d, blockers %q; want 0", status, report.Blockers)
	}
	t.Logf("upgrade-check: changes %+v, services %+v, steps %q", report.Changes, report.Services, report.Steps)
	there := append([]func(){func() { i.SetUp(t) }}, i.steps(t, processes, current)...)
	back := slices.Clone(processes)
	slices.Reverse(back)
	i.under(t, *uploads, "replacement of every process of the previous release ("+old.name+") by one of this version, one by one, and back",
		append(there, i.steps(t, back, old)...))
}

// TestNextVersion: this build meets a next version, whose messages and settings it does not support. In the upgrade, the
// sender is replaced first, against the documentation, so that the analyzers of this build meet these messages: they leave
// them, without a dead letter, until an analyzer of the next version runs. In the downgrade, the documented order is used.
// Processes of this build that restart meanwhile do not revert the settings of the next version.
func TestNextVersion(t *testing.T) {
	if !*versions {
		t.Skip("only with -upgrade.versions, which builds a next version (make upgrade)")
	}
	next := buildNext(t, nextVersion())
	i := install(t, current)
	report, status := i.check(t, next)
	if status != 0 || len(report.Changes) == 0 {
		t.Fatalf("upgrade-check of the next version: exit status %d, changes %+v; want 0 and changed streams", status, report.Changes)
	}
	named := func(name string) process {
		return processes[slices.IndexFunc(processes, func(p process) bool { return p.name == name })]
	}
	ingest, first, second := named("ingest"), named("analyzer 1"), named("analyzer 2")
	steps := []func(){
		func() {
			if p := next.assay(t, i.Cluster, "setup"); p.End(t) != 0 {
				t.Errorf("assay setup of the next version failed: %s", p.Written())
			}
			i.replace(t, ingest, next)
		},
		func() {
			i.running[second.name].Await(t, `"outcome":"left"`)
			if report, status := i.check(t, current); status != 1 || len(report.Newer) == 0 {
				t.Errorf("upgrade-check of this version while messages are left: exit status %d, newer %+v; want 1 and messages", status, report.Newer)
			}
			i.replace(t, first, current) // declares its streams and consumers
		},
		func() { i.replace(t, named("query 1"), next) },
		func() { i.replace(t, named("query 2"), next) },
		func() { i.replace(t, first, next) },
		func() { i.replace(t, second, next) },
		// The downgrade.
		func() { i.replace(t, ingest, current) },
		func() { i.replace(t, first, current) },
		func() {
			system.Eventually(t, func() error { // the other analyzer completes the messages of its version
				report, _ := i.check(t, current)
				if slices.ContainsFunc(report.Newer, func(n setup.Newer) bool { return n.Kind == "messages" }) {
					return fmt.Errorf("messages of the next version are left: %+v", report.Newer)
				}
				return nil
			})
			i.replace(t, second, current)
		},
		func() { i.replace(t, named("query 2"), current) },
		func() { i.replace(t, named("query 1"), current) },
	}
	i.under(t, *uploads, "replacement of every process by one of a next version, whose messages this version does not support, one by one, and back", steps)
	i.keptSettings(t)
}

// keptSettings checks that the settings of the next version remain.
func (i *installation) keptSettings(t *testing.T) {
	t.Helper()
	js := i.JetStream(t)
	stream, err := js.Stream(system.Within(t), textfile.WorkStream)
	if err != nil {
		t.Fatal(err)
	}
	if window := stream.CachedInfo().Config.Duplicates; window != 11*time.Minute {
		t.Errorf("the stream has a duplicate window of %s, want 11m, that of the next version", window)
	}
	durable := textfile.Work().Durables(textfile.Consumer, "")[0].Name
	consumer, err := js.Consumer(system.Within(t), textfile.WorkStream, durable)
	if err != nil {
		t.Fatal(err)
	}
	if metadata := consumer.CachedInfo().Config.Metadata; !bus.NewerSettings(metadata) {
		t.Errorf("the consumer has the metadata %v, want that of the next version", metadata)
	}
}
