package alerting

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestFailingBackups: a repository that cannot be written to causes the alerts of the fault "failing backups".
func TestFailingBackups(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	serve := system.StartServer(t, t.TempDir(), "ASSAY_SWEEP_EVERY=2s", "ASSAY_BACKUP_TO="+filepath.Join(file, "repository"))
	r := newRecording(t, interval, target{"assay-serve", "serve:8087", func() string { return serve.Operator }})
	r.until(t, above(0, "assay_backup_failures_total{"))
	r.record(t, settle)
	for _, f := range faults() {
		if f.name == "failing backups" {
			r.fires(t, longest, f.want...)
		}
	}
}
