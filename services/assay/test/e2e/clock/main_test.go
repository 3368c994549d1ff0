//go:build clockstep

// Package clock proves that steps of wall clocks, and differing clocks, stop no work.
package clock

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

func TestMain(m *testing.M) {
	followClock() // of a program
	system.Main(m)
}
