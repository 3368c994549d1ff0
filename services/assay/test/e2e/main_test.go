// Package e2e proves the promises of Assay from outside: over HTTP, S3,
// NATS and DynamoDB only. The promises are independent of how the system was
// started. By default it is `assay serve` in another process, which is
// this test's binary run again in another role.
package e2e

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

// roleVariable makes the test's binary one of the programs. Its values are the
// names of the programs, and of the engines in engines_test.go.
const roleVariable = "ASSAY_E2E_ROLE"

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	endWithParent()
	os.Exit(play(role))
}

func play(role string) int {
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

// endWithParent ends this process when its standard input does, so that a test
// that dies leaves nothing running.
func endWithParent() {
	go func() {
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(3)
	}()
}
