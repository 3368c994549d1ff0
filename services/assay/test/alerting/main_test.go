// Package alerting proves the alerts of deploy/observability: each fires in the fault that causes it, and none in a normal
// run. It records the metrics of running programs as Prometheus does, continues the series after the end of the recording,
// and evaluates the rules with promtool.
package alerting

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

func TestMain(m *testing.M) { system.Main(m) }
