// Command search measures searches of the library over HTTP, with 100,000 nodes of 1,000 owners, including shared and
// public folders. It also measures the size of the index, the time to build it, and the time until the content of a
// revoked share is no longer found.
//
//	make bench-search BENCH="-nodes 10000 -owners 100"
//
// Everything runs in this process: query with its default settings, the embedded engines, and the client, which sends
// one request at a time. The nodes are written to the table before query starts, and the texts are served from memory.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench search:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) (err error) {
	nodes := flag.Int("nodes", 100_000, "number of nodes")
	owners := flag.Int("owners", 1_000, "number of owners")
	words := flag.Int("words", 200, "number of words in each text")
	searches := flag.Int("searches", 3_000, "number of searches")
	at := flag.String("dir", os.TempDir(), "the directory for temporary data, about 1 GB")
	flag.Parse()
	if *owners < 20 || *nodes < 20**owners {
		return fmt.Errorf("-owners is %d and -nodes %d: must be at least 20 owners with 20 nodes each", *owners, *nodes)
	}
	defer process.Runtime{}.Apply(zerolog.Nop())() // as the services do
	dir, err := os.MkdirTemp(*at, "assay-bench-search-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	fmt.Fprintf(out, "%s\nload %s\n", paired.Machine(), paired.Load())
	s, err := start(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	l := newLibrary(*owners, *nodes, *words)
	text, err := s.fill(ctx, l)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d nodes of %d owners, %d MB of text\n", len(l.nodes), *owners, text>>20)
	began := time.Now()
	if err := s.serve(ctx, filepath.Join(dir, "search.db"), l); err != nil {
		return err
	}
	size, err := os.Stat(filepath.Join(dir, "search.db"))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "index of %d MB built in %.1f s\n", size.Size()>>20, time.Since(began).Seconds())
	if err := s.searches(ctx, out, l, *searches); err != nil {
		return err
	}
	return s.revokes(ctx, out, l)
}
