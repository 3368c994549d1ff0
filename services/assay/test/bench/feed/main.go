// Command feed measures reads of the feed's dashboard over HTTP, with a million items
// in the tables: the time of each kind of read with and without the cache, and the
// number of its requests to DynamoDB.
//
//	make bench-feed BENCH="-items 50000"
//
// The tables are filled through package dashboard and reused for six hours.
// Everything runs in this process: query with its default settings, the embedded
// NATS and DynamoDB engines, and the client, which sends one request at a time.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/assay/test/bench/command"
	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

func main() {
	command.Main(run)
}

// maxAge is the maximum age of reused tables: older tables have too few items in the time windows.
const maxAge = 6 * time.Hour

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("feed", flag.ExitOnError)
	items := flags.Int("items", 1_000_000, "number of items in the tables, spread over the last 7 days")
	reads := flags.Int("reads", 300, "number of reads of each kind")
	dir := command.Dir(flags, "the tables (6 KB per item)")
	primary := flags.Bool("primary", true, "also fill the primary table, which reads of the dashboard do not use")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *items < 1 || *reads < 1 {
		return fmt.Errorf("-items is %d and -reads %d: must be at least 1", *items, *reads)
	}
	defer process.Runtime{}.Apply(zerolog.Nop())() // as the services do
	paired.PrintMachine(out)
	folder := filepath.Join(*dir, fmt.Sprintf("feed-%d-%t", *items, *primary))
	if err := loaded(ctx, folder, *items, *primary, out); err != nil {
		return err
	}
	e, err := start(ctx, folder)
	if err != nil {
		return err
	}
	defer func() {
		if failed := e.close(); err == nil {
			err = failed
		}
	}()
	return report(ctx, e, *reads, out)
}

// loaded ensures that the folder has recent tables with the given number of items.
func loaded(ctx context.Context, folder string, items int, primary bool, out io.Writer) error {
	done := filepath.Join(folder, "filled")
	if found, err := os.Stat(done); err == nil && time.Since(found.ModTime()) < maxAge {
		fmt.Fprintf(out, "%d items, filled %s ago\n", items, time.Since(found.ModTime()).Round(time.Second))
		return nil
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := fill(ctx, folder, items, primary, out); err != nil {
		return err
	}
	return os.WriteFile(done, nil, 0o644)
}
