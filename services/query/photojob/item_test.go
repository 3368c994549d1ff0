package photojob

import (
	"testing"

	"github.com/assay-project/assay/pkg/photojob"
)

func TestEveryStateHasAStatus(t *testing.T) {
	for _, state := range photojob.Machine().States() {
		if statuses[state] == "" {
			t.Errorf("the state %s has no status", state)
		}
	}
}
