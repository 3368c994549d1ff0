//go:build stack

// Package stack proves the promises of the system that docker-compose.yml describes, in containers.
package stack

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

func TestMain(m *testing.M) { system.Main(m) }
