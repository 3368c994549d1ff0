package recovery

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/outcomes"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/e2e/uploads"
)

// TestServicesAlone: ingest, query and three analyzers as separate processes, configured only by environment variables,
// keep the promises of one process, and the analyzers share the work.
func TestServicesAlone(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t, "ASSAY_ANALYZER_PARALLEL=2")
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	analyzers := []*system.Service{c.Service(t, "analyzer"), c.Service(t, "analyzer"), c.Service(t, "analyzer")}

	AnalyzersShare(t, c.System, analyzers[0], analyzers[1], analyzers[2])
	for _, a := range analyzers {
		if status := a.Interrupt(t); status != 0 {
			t.Errorf("the exit status of a stopped analyzer is %d, want 0", status)
		}
	}
	t.Run("promises", func(t *testing.T) {
		c.Service(t, "analyzer")
		for name, promise := range map[string]func(*testing.T, system.System){
			"bucket notification is enough": uploads.BucketNoticeIsEnough, "items follow the seed": outcomes.ItemsFollowTheSeed,
			"wait holds the response": outcomes.WaitHoldsTheResponse, "delete removes all": outcomes.DeleteRemovesAll,
		} {
			t.Run(name, func(t *testing.T) { promise(t, c.System) })
		}
	})
}

// TestKilledAnalyzerIsReplaced: an item that is in progress when its analyzer is killed is finished once, by another
// analyzer.
func TestKilledAnalyzerIsReplaced(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t, "ASSAY_ANALYZER_PARALLEL=2")
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	KilledAnalyzerIsReplaced(t, c.System, func() Worker { return c.Service(t, "analyzer") })
}

// TestForgottenDeliveryIsTakenOver: a killed NATS server can restart the delivery count at 1. A file that a crashed
// worker claimed shortly before is still analyzed.
func TestForgottenDeliveryIsTakenOver(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t, "ASSAY_LEASE=10m")
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	owner := system.NewOwner()
	api := c.Client(t, owner)
	text := system.RandomText(151, 100)
	file := system.UploadPresigned(t, api, "claimed.txt", "text/plain", []byte(text))
	claimByHand(t, c.System, owner, file.FileID)
	c.Service(t, "analyzer")
	system.CheckResult(t, system.Await(t, api, file.FileID), system.Count(text))
}
