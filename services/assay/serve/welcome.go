package serve

import (
	"fmt"
	"io"

	"github.com/assay-project/assay/services/assay/endpoints"
)

// welcome tells a person what runs where and what to try next.
func welcome(out io.Writer, at endpoints.Endpoints, dir string) error {
	_, err := fmt.Fprintf(out, `
Assay is ready.

  web page   %s
  HTTP API   %[1]s   (documentation: %[1]s/docs)
  operators  %s   (dead letters, sources of the feed)
  NATS       %s
  S3         %s
  DynamoDB   %s
  data       %s

Try, in another terminal:

  go run ./services/assay upload --wait README.md
  go run ./services/assay list
  curl -F file=@README.md %[1]s/v1/files

Ctrl-C stops it; everything is kept.

`, at.HTTP, at.Operator, at.NATS, at.S3, at.DynamoDB, dir)
	return err
}
