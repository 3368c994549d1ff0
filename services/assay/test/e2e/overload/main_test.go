// Package overload proves that overload is rejected before work is accepted, and that it delays other owners only
// slightly.
package overload

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

func TestMain(m *testing.M) { system.Main(m) }
