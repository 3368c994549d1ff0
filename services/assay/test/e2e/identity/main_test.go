// Package identity proves that a server with ASSAY_AUTH=token shows and changes an owner's items for that owner
// only, and what others share with it.
package identity

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

func TestMain(m *testing.M) { system.Main(m) }
