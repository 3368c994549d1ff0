package identity_test

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e"
	"github.com/assay-project/assay/services/assay/test/e2e/identity"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

func TestMain(m *testing.M) { system.Main(m) }

func TestScenarios(t *testing.T) { identity.Scenarios(e2e.Callers()).Test(t) }
