package operation

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

func TestPromises(t *testing.T) {
	s := system.StartServer(t, t.TempDir())
	system.Join(Promises(), PromisesOfOneAddress()).Prove(t, s.System)
	t.Run("metrics exist", func(t *testing.T) { metricsExist(t, s.System) })
}
