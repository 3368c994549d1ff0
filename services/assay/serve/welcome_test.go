package serve

import (
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/endpoints"
)

// TestWelcomeCommandsFindServer checks that the commands of the welcome text find a server with any data folder.
func TestWelcomeCommandsFindServer(t *testing.T) {
	home, other := t.TempDir(), t.TempDir()
	t.Setenv("ASSAY_DATA_DIR", home)
	for dir, want := range map[string]bool{home: false, other: true, other + "/it's": true} {
		var out strings.Builder
		if err := welcome(&out, endpoints.Endpoints{HTTP: "http://127.0.0.1:1"}, dir, false, ""); err != nil {
			t.Fatal(err)
		}
		line := "\n  export ASSAY_DATA_DIR='" + strings.ReplaceAll(dir, "'", `'\''`) + "'\n"
		if got := strings.Contains(out.String(), line); got != want {
			t.Errorf("%s: output contains ASSAY_DATA_DIR = %t, want %t:\n%s", dir, got, want, out.String())
		}
	}
}
