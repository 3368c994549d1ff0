package recovery

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/outcomes"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/e2e/uploads"
)

// TestServicesAlone: ingest, query and three analyzers as separate processes,
// configured by environment variables only, keep the promises of one process, and the
// analyzers share the work.
func TestServicesAlone(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t, "ASSAY_ANALYZER_PARALLEL=2")
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	analyzers := []*system.Service{c.Service(t, "analyzer"), c.Service(t, "analyzer"), c.Service(t, "analyzer")}

	AnalyzersShare(t, c.System, analyzers[0], analyzers[1], analyzers[2])
	for _, a := range analyzers {
		if status := a.Interrupt(t); status != 0 {
			t.Errorf("a stopped analyzer has the exit status %d", status)
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

// TestKilledAnalyzerIsReplaced: an item in progress when its analyzer was killed
// is finished by another analyzer, once.
func TestKilledAnalyzerIsReplaced(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t, "ASSAY_ANALYZER_PARALLEL=2")
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	KilledAnalyzerIsReplaced(t, c.System, func() Worker { return c.Service(t, "analyzer") })
}

// TestForgottenDeliveryIsTakenOver: a NATS server that was killed restarts the delivery count at 1.
// The file that its crashed worker had claimed shortly before is analyzed nevertheless.
func TestForgottenDeliveryIsTakenOver(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t, "ASSAY_LEASE=10m")
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	owner := system.NewOwner()
	speaker := c.Client(t, owner)
	text := system.RandomText(151, 100)
	file := system.UploadPresigned(t, speaker, "claimed.txt", "text/plain", []byte(text))
	claimByHand(t, c.System, owner, file.FileID)
	c.Service(t, "analyzer")
	system.CheckResult(t, system.Await(t, speaker, file.FileID), system.Count(text))
}
