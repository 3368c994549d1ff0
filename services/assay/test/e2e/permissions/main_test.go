// Package permissions proves that the services need all permissions in deploy/nats and deploy/iam, and no others.
package permissions

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

func TestMain(m *testing.M) { system.Main(m) }
