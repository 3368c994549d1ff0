//go:build clockstep

// Package clock proves that steps of wall clocks and differences between clocks do not stop work.
package clock

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

func TestMain(m *testing.M) {
	followClock() // in programs that a test starts
	system.Main(m)
}
