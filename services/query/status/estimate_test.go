package status

import (
	"testing"

	"github.com/assay-project/assay/pkg/bus"
)

// TestEstimateUsesTheLastCount checks the number of items of a backlog that is too long to count them.
func TestEstimateUsesTheLastCount(t *testing.T) {
	e := &estimate{}
	for i, step := range []struct {
		backlog bus.Backlog
		want    uint64
	}{
		{bus.Backlog{Events: 30_000}, 30_000},
		{bus.Backlog{Events: 1_000, Items: 250, Counted: true}, 250},
		{bus.Backlog{Events: 30_001}, 7_501},
		{bus.Backlog{Counted: true}, 0},
		{bus.Backlog{Events: 40_000}, 10_000},
	} {
		if got := e.items(step.backlog); got != step.want {
			t.Errorf("backlog %d: got %d items, want %d", i+1, got, step.want)
		}
	}
}
