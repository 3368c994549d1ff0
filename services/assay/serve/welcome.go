package serve

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/assay/endpoints"
)

// welcome prints what runs where and what to try next.
func welcome(out io.Writer, at endpoints.Endpoints, dir string) error {
	keys := "from the environment"
	if at.Credentials != "" {
		keys = at.Credentials
	}
	// Without it, the commands look in the default folder.
	data := ""
	if usual, err := endpoints.Dir(""); err != nil || !sameFolder(usual, dir) {
		data = "  export ASSAY_DATA_DIR='" + strings.ReplaceAll(dir, "'", `'\''`) + "'\n"
	}
	_, err := fmt.Fprintf(out, `
Assay is ready.

  web page   %s
  HTTP API   %[1]s   (documentation: %[1]s/docs)
  operators  %s/operations   (backlogs, dead letters, sweeps, providers)
  NATS       %s
  S3         %s   (keys: %s)
  DynamoDB   %s
  data       %s

Try, in another terminal:

%s  export ASSAY_OWNER=me
  %s upload --wait README.md
  curl -H "X-Owner-Id: $ASSAY_OWNER" -F file=@LICENSE %[1]s/v1/files
  %[9]s list
  eval "$(%[9]s env)"   (variables for aws and nats)

Ctrl-C stops it; the data is kept.

`, at.HTTP, at.Operator, at.NATS, at.S3, keys, at.DynamoDB, dir, data, process.Invocation("./services/assay"))
	return err
}

func sameFolder(a, b string) bool {
	absolute, err := filepath.Abs(a)
	return err == nil && absolute == filepath.Clean(b)
}
