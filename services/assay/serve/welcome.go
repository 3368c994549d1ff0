package serve

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/assay/endpoints"
)

// welcome prints the addresses and the first commands to try.
func welcome(out io.Writer, at endpoints.Endpoints, dir string, tokens bool, first string) error {
	streams, err := url.Parse(at.NATS)
	if err != nil {
		return fmt.Errorf("address of NATS: %w", err)
	}
	streams.User = nil // a password does not belong on a screen
	keys := "from the environment"
	if at.Credentials != "" {
		keys = at.Credentials
	}
	// Without this, the commands use the default folder.
	data := ""
	if usual, err := endpoints.Dir(""); err != nil || !sameFolder(usual, dir) {
		data = "  export ASSAY_DATA_DIR='" + strings.ReplaceAll(dir, "'", `'\''`) + "'\n"
	}
	who, curl := "", "X-Owner-Id: $("+process.Invocation("./services/assay")+" owner)"
	if tokens {
		who, curl = "  export ASSAY_TOKEN=assay_...   (an API key: "+process.Invocation("./services/assay")+" keys create --owner me)\n", "Authorization: Bearer $ASSAY_TOKEN"
	}
	if first != "" {
		who = "  export ASSAY_TOKEN=" + first + "\n"
	}
	_, err = fmt.Fprintf(out, `
Assay is ready.

  web app    %s
  HTTP API   %[1]s   (documentation: %[1]s/docs)
  operators  %s/operations   (backlogs, dead letters, sweeps, providers)
  NATS       %s   (user and password: %[10]s env)
  S3         %[4]s   (keys: %[5]s)
  DynamoDB   %[6]s   (the same keys)
  data       %[7]s

Try, in another terminal:

%[8]s%[9]s  echo 'One fish, two fish, red fish, blue fish.' >fish.txt
  %[10]s upload --wait fish.txt
  curl -H "%[11]s" -F file=@fish.txt %[1]s/v1/files
  %[10]s list
  eval "$(%[10]s env)"   (variables for aws and nats)

Press Ctrl-C to stop. The data is kept.

`, at.HTTP, at.Operator, streams, at.S3, keys, at.DynamoDB, dir, data, who, process.Invocation("./services/assay"), curl)
	if err == nil && first != "" {
		_, err = fmt.Fprintf(out, "%s is the API key of the first operator. It cannot be shown again.\n\n", first)
	}
	return err
}

func sameFolder(a, b string) bool {
	absolute, err := filepath.Abs(a)
	return err == nil && absolute == filepath.Clean(b)
}
