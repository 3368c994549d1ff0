// Command bucket runs the embedded S3 server in a separate process, for benchmarks that read from a
// bucket. It stores a file in the bucket, prints the URL of the server and the ETag of the object,
// and exits when its standard input ends.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/test/bench/command"
)

func main() {
	command.Main(run)
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 3 {
		return fmt.Errorf("usage: bucket DIRECTORY KEY FILE; KEY is both the access key and the secret key")
	}
	dir, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	file, err := os.Open(args[2]) // before the server changes the working directory; closed when the process exits
	if err != nil {
		return err
	}
	server, err := embedded.StartS3(ctx, embedded.S3Config{Dir: dir, AccessKey: args[1], SecretKey: args[1]})
	if err != nil {
		return err
	}
	store := blob.New(aws.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider(args[1], args[1], "")},
		blob.Config{Endpoint: server.URL(), Bucket: "bench"})
	if err := store.Ensure(ctx); err != nil {
		return err
	}
	if err := store.Delete(ctx, "text"); err != nil {
		return err
	}
	if _, err := store.Put(ctx, "text", "text/plain", nil, file); err != nil {
		return err
	}
	object, err := store.Head(ctx, "text")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, server.URL(), object.ETag)
	_, _ = io.Copy(io.Discard, os.Stdin) // until the benchmark has ended
	return server.Close()
}
