package textfile

import (
	"testing"

	"github.com/assay-project/assay/pkg/textfile"
)

func TestEveryStateHasAStatus(t *testing.T) {
	for _, state := range textfile.Machine().States() {
		if statuses[state] == "" {
			t.Errorf("the state %s has no status", state)
		}
	}
}
