package rules

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

func TestMain(m *testing.M) { system.Main(m) }

func TestPromises(t *testing.T) { Promises().Test(t) }
