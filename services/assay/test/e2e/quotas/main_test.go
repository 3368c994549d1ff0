// Package quotas proves that owners cannot exceed their quotas, and that the writes of operators are recorded.
package quotas

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

func TestMain(m *testing.M) { system.Main(m) }
