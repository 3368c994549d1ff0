// Package permissions proves that the permissions in deploy/nats and deploy/iam are sufficient for the services, and that
// the services need all permissions in deploy/iam.
package permissions

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

func TestMain(m *testing.M) { system.Main(m) }
