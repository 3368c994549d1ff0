// Command difftest sends the same seeded random requests to dynamolite and to
// an independent DynamoDB engine and compares the responses. It checks that
// dynamolite responds as DynamoDB does. known.go lists the known deviations of
// the rival, each with its reason.
//
// The rival is dynoxide, whose binary is in the npm package
// @dynoxide/linux-x64 (1.2.1):
//
//	npm install --prefix /tmp/rival @dynoxide/linux-x64@1.2.1
//	go run ./services/assay/test/dynamolite/difftest -requests 50000 -seed 1 \
//	    -rival /tmp/rival/node_modules/@dynoxide/linux-x64/dynoxide
//
// The command starts both engines, in memory or with temporary files, on free
// loopback ports. It exits with status 1 if there is an unlisted difference. The
// same seed generates the same requests.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http/httptest"
	"os"
	"os/signal"
	"slices"

	"github.com/assay-project/assay/pkg/dynamolite"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "difftest:", err)
		os.Exit(1)
	}
}

// errDifferent means that the engines responded differently in a way that
// known.go does not list.
var errDifferent = errors.New("unlisted differences")

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("difftest", flag.ContinueOnError)
	requests := flags.Int("requests", 5000, "number of random requests to send")
	seed := flags.Uint64("seed", 1, "seed of the random requests")
	rival := flags.String("rival", "", "path of the rival's binary; empty compares dynamolite with itself")
	show := flags.Int("show", 10, "number of unlisted differences to print in full")
	listed := flags.Bool("listed", false, "also print listed differences in full")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ours, closeOurs, err := startDynamolite()
	if err != nil {
		return err
	}
	defer closeOurs()
	theirs, closeTheirs, err := startRival(ctx, *rival)
	if err != nil {
		return err
	}
	defer closeTheirs()

	report := &report{out: log.New(out, "", 0), show: *show, showListed: *listed, listed: map[string]int{}, operations: map[string]int{}}
	s := newSession(*seed, ours, theirs, report)
	if err := s.run(ctx, *requests); err != nil {
		return err
	}
	return report.finish()
}

// startDynamolite serves an engine that uses a temporary file.
func startDynamolite() (*client, func(), error) {
	engine, err := dynamolite.Open(dynamolite.Options{SweepInterval: -1})
	if err != nil {
		return nil, nil, err
	}
	server := httptest.NewServer(engine)
	return newClient("dynamolite", server.URL), func() {
		server.Close()
		if err := engine.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "difftest:", err)
		}
	}, nil
}

// report counts and prints differences.
type report struct {
	out        *log.Logger
	show       int
	showListed bool
	sent       int
	accepted   int            // requests that both engines accepted
	operations map[string]int // requests by operation
	listed     map[string]int // listed differences by name
	unlisted   int
}

func (r *report) difference(d difference) {
	if k, ok := findKnown(d); ok {
		r.listed[k.name]++
		if r.showListed && r.listed[k.name] <= r.show {
			r.out.Printf("--- listed as %q\n%s", k.name, d)
		}
		return
	}
	r.unlisted++
	if r.unlisted <= r.show {
		r.out.Printf("--- difference %d, request %d\n%s", r.unlisted, r.sent, d)
	}
}

func (r *report) finish() error {
	r.out.Printf("%d requests, %d accepted by both; %d unlisted differences", r.sent, r.accepted, r.unlisted)
	for _, name := range slices.Sorted(maps.Keys(r.operations)) {
		r.out.Printf("%8d  %s", r.operations[name], name)
	}
	for _, k := range known() {
		r.out.Printf("%8d  listed: %s: %s", r.listed[k.name], k.name, k.reason)
	}
	if r.unlisted > 0 {
		return errDifferent
	}
	return nil
}
