package system

import (
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/assay/cmd"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
)

// roleVariable is the environment variable that names the program, or the engine in engines.go, that the test binary
// runs.
const roleVariable = "E2E_ROLE"

// Main is the TestMain of every package that starts programs. It runs the tests and exits, or, in a process that Launch
// started, runs the program of that role.
func Main(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	endWithParent()
	os.Exit(run(role))
}

func run(role string) int {
	switch role {
	case "assay":
		return cmd.Main()
	case "ingest":
		return process.Main("ingest", ingest.Run)
	case "analyzer":
		return process.Main("analyzer", analyzer.Run)
	case "query":
		return process.Main("query", query.Run)
	}
	if err := runEngine(role); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// endWithParent ends this process when its standard input ends, so that a test that crashes leaves nothing running.
func endWithParent() {
	go func() {
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(3)
	}()
}
