// Command compare compares the decoders of package pixels with reference decoders on files and folders of pictures.
//
//	compare [-all] [-cache FOLDER] PATH…
//
// The first reference is libvips (`vips autorot`, which must be installed). If it cannot read a picture, or reads it
// differently, the decoder of the format is asked too, if it is installed: djpeg, dwebp, heif-convert, avifdec, djxl
// (see second). A picture is equal if its size is that of a reference, and no channel differs by more than 1 on average.
// Colors are compared as stored, without conversion by a color profile, because pixels retains profiles. Colors are
// multiplied by the alpha channel, because the color of a transparent pixel is not visible. The limits are those of
// photos without the minimum side.
//
// It prints a line for each picture that is not equal, with -all for each picture: outcome, format, reference, the mean
// differences of R, G, B and A, the remarks of the decoder or its error, and the path. A table per format follows. The
// outcomes are:
//
//	equal      as a reference
//	told       different, with a remark of the decoder
//	different  different, without a remark
//	damaged    read by libvips with warnings, and refused by pixels
//	refused    read by a reference, and refused by pixels
//	extra      read by pixels only
//	neither    read by none
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	all := flags.Bool("all", false, "print equal pictures too")
	kept := flags.String("cache", "", "an existing folder for what the references read, for later runs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("the arguments must be files or folders of pictures")
	}
	folder, err := os.MkdirTemp("", "compare-")
	if err != nil {
		return err
	}
	limits := pixels.Default
	limits.Shortest = 0
	c := comparer{
		decoder: pixels.NewDecoder(budget.New(4<<30), wasm.Config{}),
		limits:  limits, tools: tools{folder}, cache: cache{*kept}, out: out, all: *all, counts: map[string]map[outcome]int{},
	}
	for _, path := range flags.Args() {
		err = errors.Join(err, c.walk(ctx, path))
	}
	c.table()
	return errors.Join(err, c.decoder.Close(ctx), os.RemoveAll(folder))
}

// comparer compares pictures and counts the outcomes.
type comparer struct {
	decoder *pixels.Decoder
	limits  pixels.Limits
	tools   tools
	cache   cache
	out     io.Writer
	all     bool
	counts  map[string]map[outcome]int // by format
}

func (c comparer) walk(ctx context.Context, path string) error {
	return filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		format := sniff(data)
		if format == "" {
			return nil
		}
		r, err := c.compare(ctx, path, data, format)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if c.counts[format] == nil {
			c.counts[format] = map[outcome]int{}
		}
		c.counts[format][r.outcome]++
		if c.all || r.outcome != equal {
			fmt.Fprintf(c.out, "%s\t%s\t%s\t%s\t%s\t%s\n", r.outcome, format, r.reference, r.difference, r.reason, path)
		}
		return nil
	})
}
