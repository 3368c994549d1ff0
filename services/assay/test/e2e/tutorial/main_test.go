// Package tutorial runs the commands of README.md and docs/tutorial.md, and makes the terminal picture of the README.
package tutorial

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/services/assay/cmd"
)

// TestMain runs the tests or, under the name assay, the program.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "assay" {
		os.Exit(cmd.Main())
	}
	os.Exit(m.Run())
}
