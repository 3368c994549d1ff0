package alerting

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite/disktest"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestFullDisk: a file system that is nearly full causes the alerts of the fault "full disk".
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("make rounds runs it")
	}
	const size = 200 << 20
	disktest.Run(t, "size=200m", func(t *testing.T, dir string) {
		serve := system.StartServer(t, filepath.Join(dir, "assay"), "ASSAY_SWEEP_EVERY=2s")
		r := newRecording(t, interval, target{"assay-serve", "serve:8087", func() string { return serve.Operator }})
		var free float64
		r.until(t, func(now round) error {
			for series, value := range now.values {
				if strings.HasPrefix(series, "assay_disk_free_bytes{") {
					free = value
				}
			}
			return above(size/10, "assay_disk_free_bytes{")(now)
		})
		disktest.Fill(t, dir, int(free)-size/20)
		r.record(t, settle)
		for _, f := range faults() {
			if f.name == "full disk" {
				r.fires(t, longest, f.want...)
			}
		}
	})
}
