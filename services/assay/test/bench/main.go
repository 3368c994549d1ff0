// Command bench compares the performance of Assay with that of rivals, alternating
// within one run, and prints the ratios with their goals. docs/performance.md
// describes the goals and the rivals, and contains the latest tables.
//
//	go run ./services/assay/test/bench -rivals FOLDER -write docs/performance.md
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-project/assay/services/assay/test/bench/command"
	"github.com/assay-project/assay/services/assay/test/bench/documents"
	"github.com/assay-project/assay/services/assay/test/bench/molecules"
	"github.com/assay-project/assay/services/assay/test/bench/paired"
	"github.com/assay-project/assay/services/assay/test/bench/photo"
	"github.com/assay-project/assay/services/assay/test/bench/pipeline"
	"github.com/assay-project/assay/services/assay/test/bench/words"
	"github.com/assay-project/assay/services/assay/test/corpus"
)

// group contains the measurements of one package. docs/performance.md has its table between the lines
// "<!-- begin NAME -->" and "<!-- end NAME -->".
type group struct {
	name string
	// trials prepares the trials. stop stops the programs that they use; it may be nil.
	trials func(context.Context) (all []paired.Trial, stop func(), err error)
	// more returns the text to add below the table once all goals are measured; nil means none.
	more func(context.Context) (string, error)
}

func main() {
	if status, played := pipeline.Play(); played {
		os.Exit(status)
	}
	command.Main(run)
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	only := flags.String("group", "", "the group to measure: words, photo, documents, molecules, pipeline, traces, backups, uploads or memory (default all)")
	goals := flags.String("goals", "", "prefixes of the goals to measure, in this order, such as W1,W5a (default all)")
	pairs := flags.Int("pairs", 5, "number of measured pairs of runs in each trial")
	dir := command.Dir(flags, "corpora (about 1 GB), programs, profiles and temporary data")
	rivals := flags.String("rivals", "", "the directory with the rival programs")
	book := flags.String("book", "", "a file with natural-language text (default a book in Go's source tree)")
	samples := flags.String("samples", "", "an SDF file whose records are repeated (default generated records)")
	corpusDir := flags.String("corpus", os.Getenv(corpus.Dir), "documents: the folder created by the command test/corpus/collect; default: the value of "+corpus.Dir)
	length := flags.Duration("length", 3*time.Second, "pipeline: duration of one run")
	files := flags.Int("files", 100_000, "memory: number of files, each with two events; a tenth of them must fill the 8192 live events that query keeps; the goal requires 1000000 events")
	largest := flags.Int64("largest", 1<<30, "memory: size of the largest file in bytes; the goal requires 10 GB")
	upload := flags.Int64("upload", 1<<30, "uploads: size of the file in bytes")
	write := flags.String("write", "", "a file in which to replace the tables, such as docs/performance.md")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *pairs < 5 {
		return fmt.Errorf("-pairs is %d: must be at least 5", *pairs)
	}
	// All data, including that of killed runs, is removed at the end of a run and not at the start of the next one,
	// which would slow that run down: when ext4 without a journal creates a file, it skips each inode that was freed in
	// the last five minutes, one by one (recently_deleted in fs/ext4/ialloc.c of Linux).
	all := filepath.Join(*dir, "data")
	if err := os.MkdirAll(all, 0o755); err != nil {
		return err
	}
	data, err := os.MkdirTemp(all, "")
	if err != nil {
		return err
	}
	defer func() {
		if err := os.RemoveAll(all); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
	}()
	small := pipeline.Options{Dir: data, Profiles: *dir, Length: *length, Files: *files, Largest: *largest, Upload: *upload}
	paired.PrintMachine(out)
	for _, g := range []group{
		{name: "words", trials: func(ctx context.Context) ([]paired.Trial, func(), error) {
			all, err := words.Trials(ctx, words.Options{Dir: *dir, Rivals: *rivals, Book: *book, Out: out})
			return all, nil, err
		}},
		{name: "photo", trials: func(ctx context.Context) ([]paired.Trial, func(), error) {
			all, err := photo.Trials(ctx, photo.Options{Dir: *dir, Out: out})
			return all, nil, err
		}},
		{name: "documents", trials: func(ctx context.Context) ([]paired.Trial, func(), error) {
			all, err := documents.Trials(ctx, documents.Options{Dir: *dir, Corpus: *corpusDir, Out: out})
			return all, nil, err
		}},
		{name: "molecules", trials: func(ctx context.Context) ([]paired.Trial, func(), error) {
			all, err := molecules.Trials(ctx, molecules.Options{Dir: *dir, Samples: *samples, Out: out})
			return all, nil, err
		}},
		{
			name:   "pipeline",
			trials: func(context.Context) ([]paired.Trial, func(), error) { return pipeline.Trials(small) },
			more:   func(ctx context.Context) (string, error) { return pipeline.Stages(ctx, small) },
		},
		{name: "traces", trials: func(context.Context) ([]paired.Trial, func(), error) { return pipeline.Traces(small) }},
		{name: "backups", trials: func(ctx context.Context) ([]paired.Trial, func(), error) { return pipeline.Backups(ctx, small) }},
		{name: "uploads", trials: func(context.Context) ([]paired.Trial, func(), error) { return pipeline.Uploads(small) }},
		{name: "memory", trials: func(context.Context) ([]paired.Trial, func(), error) { return pipeline.Flat(small), nil, nil }},
	} {
		if *only != "" && *only != g.name {
			continue
		}
		if err := measure(ctx, g, *goals, *pairs, *write, out); err != nil {
			return err
		}
	}
	return nil
}

// measure runs the trials of a group, and prints and writes each result, so
// that an interrupted run keeps its results.
func measure(ctx context.Context, g group, goals string, pairs int, path string, out io.Writer) error {
	trials, stop, err := g.trials(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", g.name, err)
	}
	if stop != nil {
		defer stop()
	}
	before := paired.Load()
	var results []paired.Result
	written := ""
	for _, t := range chosen(goals, trials) {
		result, err := t.Measure(ctx, pairs)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			result.Failed, _, _ = strings.Cut(err.Error(), "\n") // other trials can still be measured
		}
		result.Print(out)
		results = append(results, result)
		if path == "" {
			continue
		}
		notes := fmt.Sprintf("%s. %d pairs. Load before %s, after %s.", paired.Machine(), pairs, before, paired.Load())
		written = notes + "\n\n" + paired.Table(results)
		if err := paired.WriteInto(path, g.name, written); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\n%s: load before %s, after %s\n", g.name, before, paired.Load())
	if g.more == nil || goals != "" {
		return nil
	}
	more, err := g.more(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", g.name, err)
	}
	fmt.Fprintf(out, "\n%s", more)
	if path == "" {
		return nil
	}
	return paired.WriteInto(path, g.name, written+"\n"+more)
}

// chosen returns the trials with a goal whose id begins with one of the comma-separated names, in
// the order of the names.
func chosen(names string, trials []paired.Trial) []paired.Trial {
	var all []paired.Trial
	for name := range strings.SplitSeq(names, ",") {
		for _, t := range trials {
			if slices.ContainsFunc(t.Goals, func(g paired.Goal) bool { return strings.HasPrefix(g.ID, name) }) {
				all = append(all, t)
			}
		}
	}
	return all
}
