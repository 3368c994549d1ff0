// Package command contains what the commands of the benchmarks share.
package command

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
)

// Main calls run with the arguments of the process and its standard output. An interrupt cancels the context, and a
// second one ends the process. If run returns an error, Main prints it and exits with status 1.
func Main(run func(ctx context.Context, args []string, out io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop)
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
}

// Dir defines the flag -dir, a directory that the command creates if necessary. content describes what the command
// stores in it.
func Dir(flags *flag.FlagSet, content string) *string {
	return flags.String("dir", filepath.Join(os.TempDir(), "assay-bench"), "the directory for "+content)
}

// Build builds a program of the benchmarks. name is its folder below services/assay/test/bench, and tags are its build
// tags, separated by commas.
func Build(ctx context.Context, path, name, tags string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-tags", tags, "-o", path, "github.com/assay-project/assay/services/assay/test/bench/"+name)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, output)
	}
	return nil
}
