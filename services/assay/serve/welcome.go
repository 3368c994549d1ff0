package serve

import (
	"fmt"
	"io"

	"github.com/assay-project/assay/services/assay/endpoints"
)

// welcome prints what runs where and what to try next.
func welcome(out io.Writer, at endpoints.Endpoints, dir string) error {
	keys := "from the environment"
	if at.Credentials != "" {
		keys = at.Credentials
	}
	_, err := fmt.Fprintf(out, `
Assay is ready.

  web page   %s
  HTTP API   %[1]s   (documentation: %[1]s/docs)
  operators  %s   (dead letters, sources of the feed)
  NATS       %s
  S3         %s   (keys: %s)
  DynamoDB   %s
  data       %s

Try, in another terminal:

  export ASSAY_OWNER=me
  go run ./services/assay upload --wait README.md
  curl -H "X-Owner-Id: $ASSAY_OWNER" -F file=@LICENSE %[1]s/v1/files
  go run ./services/assay list
  eval "$(go run ./services/assay env)"   (variables for aws and nats)

Ctrl-C stops it; the data is kept.

`, at.HTTP, at.Operator, at.NATS, at.S3, keys, at.DynamoDB, dir)
	return err
}
