//go:build stack

// Package stack proves the promises on the containers of docker-compose.yml.
package stack

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

func TestMain(m *testing.M) { system.Main(m) }
