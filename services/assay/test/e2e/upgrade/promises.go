// Package upgrade proves that a version of Assay can be replaced by another one, one process after another, while clients
// use it.
package upgrade

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// Scenarios returns the promises that need their own services.
func Scenarios() system.Scenarios {
	return system.Scenarios{"upgrade is checked": upgradeIsChecked}
}

// upgradeIsChecked: upgrade-check with the permissions of setup reports a possible upgrade without changes, and the versions
// of the running services, while work is queued.
func upgradeIsChecked(t *testing.T, start system.Starter) {
	c := start(t)
	ingest, query := c.Service(t, "ingest"), c.Service(t, "query")
	c.Front(t, ingest, query)
	system.UploadPresigned(t, c.Client(t, system.NewOwner()), "queued.txt", "text/plain", []byte("queued"))
	p := system.Launch(t, "assay", c.Environment("setup"), "upgrade-check", "--json", "--service", ingest.Operator, "--service", query.Operator)
	report := reportOf(t, p)
	if status := p.End(t); status != 0 || len(report.Changes)+len(report.Newer)+len(report.Blockers) > 0 {
		t.Errorf("upgrade-check: exit status %d, report %+v; want 0 and no difference", status, report)
	}
	for i, want := range []string{"ingest", "query"} {
		if got := report.Services[i]; got.Name != want || got.Version != report.Version || got.Error != "" {
			t.Errorf("upgrade-check: got the service %+v, want %s of version %s", got, want, report.Version)
		}
	}
}

// reportOf waits for upgrade-check and returns its report.
func reportOf(t *testing.T, p *system.Program) setup.Report {
	t.Helper()
	p.End(t)
	var r setup.Report
	line, _, _ := strings.Cut(p.Written(), "\n")
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		t.Fatalf("upgrade-check printed %s: %v", p.Written(), err)
	}
	return r
}
