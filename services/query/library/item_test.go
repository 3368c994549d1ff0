package library

import (
	"testing"

	"github.com/assay-project/assay/pkg/library"
)

func TestEveryStateHasAStatus(t *testing.T) {
	for _, state := range library.Machine().States() {
		if statuses[state] == "" {
			t.Errorf("the state %s has no status", state)
		}
	}
}
