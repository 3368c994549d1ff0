// Command dynamolite measures two DynamoDB engines in one run, over loopback and
// with file storage, and prints the ratio of their throughputs.
//
//	dynamolite -ours ./dynamolite -theirs './dynoxide --port PORT --db-path DIR/theirs.db'
//	dynamolite -ours ./dynamolite -theirs 'node node_modules/dynalite/cli.js --port PORT --path DIR/theirs --createTableMs 0'
//
// The program runs ours with -addr and -path. In the command of theirs it replaces PORT and
// DIR by a port and an empty directory. A workload that theirs does not support has no figures. The engines take
// turns, many times for each workload. A ratio is
// the median of the ratios of adjacent turns, so that other work on the machine, which affects
// adjacent turns equally, has little effect.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-project/assay/services/assay/test/bench/command"
)

func main() {
	command.Main(run)
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("dynamolite", flag.ExitOnError)
	ours := flags.String("ours", "", "path of the dynamolite binary")
	theirs := flags.String("theirs", "", "command that runs the other engine; PORT and DIR are replaced")
	turn := flags.Duration("turn", 250*time.Millisecond, "length of one turn")
	turns := flags.Int("turns", 25, "turns of each engine for each workload")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return compare(ctx, *ours, *theirs, *turn, *turns, out)
}

func compare(ctx context.Context, ours, theirs string, turn time.Duration, turns int, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "compare-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	commands := []*exec.Cmd{
		exec.CommandContext(ctx, ours, "-addr", "127.0.0.1:18101", "-path", filepath.Join(dir, "ours.db")),
	}
	words := strings.Fields(strings.NewReplacer("PORT", "18102", "DIR", dir).Replace(theirs))
	if len(words) == 0 {
		return errors.New("-theirs is required")
	}
	commands = append(commands, exec.CommandContext(ctx, words[0], words[1:]...))
	engines := []*engine{{addr: "127.0.0.1:18101"}, {addr: "127.0.0.1:18102"}}
	for i, c := range commands {
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			return err
		}
		defer func() { // errors have no effect: the data is removed with dir
			_ = c.Process.Kill()
			_ = c.Wait()
		}()
		if err := engines[i].prepare(); err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
	}
	fmt.Fprintln(out, "| request | clients | ours/s | theirs/s | ratio | ours p50 | theirs p50 | ratio |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|")
	for _, w := range workloads() {
		for _, clients := range []int{1, 64} {
			var rates, latencies [2][]float64 // requests per second; p50 in microseconds
			var rateRatios, latencyRatios []float64
			if err := engines[1].try(w); err != nil {
				fmt.Fprintf(out, "| %s | %d | – | not supported: %.40s |\n", w.name, clients, err)
				continue
			}
			for n := range turns {
				for i, e := range engines {
					rate, p50, err := e.measure(w, clients, turn)
					if err != nil {
						return fmt.Errorf("%s: %s: %w", commands[i].Path, w.name, err)
					}
					rates[i] = append(rates[i], rate)
					latencies[i] = append(latencies[i], float64(p50.Microseconds()))
				}
				rateRatios = append(rateRatios, rates[0][n]/rates[1][n])
				latencyRatios = append(latencyRatios, latencies[1][n]/latencies[0][n])
			}
			fmt.Fprintf(out, "| %s | %d | %.0f | %.0f | %.2f | %.0f µs | %.0f µs | %.2f |\n", w.name, clients,
				median(rates[0]), median(rates[1]), median(rateRatios), median(latencies[0]), median(latencies[1]), median(latencyRatios))
		}
	}
	return nil
}

func median(figures []float64) float64 {
	sorted := slices.Sorted(slices.Values(figures))
	return sorted[len(sorted)/2]
}
