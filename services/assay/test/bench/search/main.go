// Command search measures searches of the library over HTTP, with 100,000 nodes of 1,000 owners, including shared and
// public folders. It also measures the size of the index, the time to build it, and the time until the content of a
// revoked share is no longer found.
//
//	make bench-search BENCH="-nodes 10000 -owners 100"
//	make bench-search BENCH="-index postgres://assay@localhost/search"
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
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/assay/test/bench/command"
	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

func main() {
	command.Main(run)
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("search", flag.ExitOnError)
	nodes := flags.Int("nodes", 100_000, "number of nodes")
	owners := flags.Int("owners", 1_000, "number of owners")
	words := flags.Int("words", 200, "number of words in each text")
	searches := flags.Int("searches", 3_000, "number of searches")
	index := flags.String("index", "", "URL of an empty PostgreSQL database; default: a file")
	at := command.Dir(flags, "temporary data, about 1 GB")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *owners < 20 || *nodes < 20**owners {
		return fmt.Errorf("-owners is %d and -nodes %d: must be at least 20 owners with 20 nodes each", *owners, *nodes)
	}
	defer process.Runtime{}.Apply(zerolog.Nop())() // as the services do
	if err := os.MkdirAll(*at, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(*at, "search-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	paired.PrintMachine(out)
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
	if *index == "" {
		*index = filepath.Join(dir, "search.db")
	}
	began := time.Now()
	if err := s.serve(ctx, *index, l); err != nil {
		return err
	}
	built := time.Since(began)
	size, err := sizeOf(ctx, *index)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "index of %.1f MB built in %.1f s\n", float64(size)/1e6, built.Seconds())
	if err := s.searches(ctx, out, l, *searches); err != nil {
		return err
	}
	return s.revokes(ctx, out, l)
}

// sizeOf returns the number of bytes of the index of the library.
func sizeOf(ctx context.Context, index string) (size int64, err error) {
	if !strings.Contains(index, "://") {
		info, err := os.Stat(index + "." + library.Name)
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
	conn, err := pgx.Connect(ctx, index)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	const query = "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'"
	err = conn.QueryRow(ctx, query, "assay_search_"+library.Name).Scan(&size)
	return size, err
}
