// Command count counts the words of a text and prints the statistics. Command
// bench runs it in a separate process, so that only the counting is measured. Built
// with the tag purego, it has only the portable kernel.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/assay-project/assay/pkg/extract/wordstats"
	"github.com/assay-project/assay/services/assay/test/bench/command"
	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

func main() {
	command.Main(run)
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var o options
	flags := flag.NewFlagSet("count", flag.ExitOnError)
	flags.StringVar(&o.by, "by", "wordstats", "the implementation: wordstats, or uax29 for libraries and a map")
	flags.IntVar(&o.times, "times", 1, "number of copies of the file to count as one text")
	flags.IntVar(&o.each, "each", 0, "count each block of this many bytes as a separate text, and print the last result")
	flags.IntVar(&o.readers, "readers", 1, "number of readers of the text")
	flags.StringVar(&o.bucket.url, "url", "", "the URL of an S3 server with the text, instead of a file")
	flags.StringVar(&o.bucket.etag, "etag", "", "ETag of the object")
	flags.Int64Var(&o.bucket.size, "size", 0, "size of the object in bytes")
	flags.StringVar(&o.bucket.key, "key", "", "the access key, which is also the secret key")
	if err := flags.Parse(args); err != nil {
		return err
	}
	statistics, err := o.count(ctx, flags.Args())
	if err != nil {
		return err
	}
	peak, err := paired.OwnPeak()
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(struct {
		Kernel string
		Peak   float64
		wordstats.Statistics
	}{wordstats.Kernel(), peak, statistics})
}

type options struct {
	by                   string
	times, each, readers int
	bucket               bucket
}

func (o options) count(ctx context.Context, paths []string) (wordstats.Statistics, error) {
	if o.bucket.url != "" {
		return o.bucket.count(ctx, o.readers)
	}
	if len(paths) != 1 {
		return wordstats.Statistics{}, fmt.Errorf("got %d arguments, want one file", len(paths))
	}
	file, err := os.Open(paths[0]) // closed when the process exits
	if err != nil {
		return wordstats.Statistics{}, err
	}
	count, ok := map[string]func(io.Reader) (wordstats.Statistics, error){"wordstats": wordstats.Count, "uax29": countByLibraries}[o.by]
	text := &repeated{file: file, left: o.times - 1}
	switch {
	case !ok:
		return wordstats.Statistics{}, fmt.Errorf("-by %s: must be wordstats or uax29", o.by)
	case o.each > 0:
		return countEach(text, o.each, count)
	case o.readers == 1 || o.by != "wordstats":
		return count(text)
	}
	info, err := file.Stat()
	if err != nil {
		return wordstats.Statistics{}, err
	}
	return wordstats.Limits{}.CountParts(ctx, wordstats.Parts{
		Size: info.Size(), PartSize: partSize, Readers: o.readers,
		From: func(_ context.Context, at, _ int64) io.ReadCloser {
			return io.NopCloser(io.NewSectionReader(file, at, info.Size()-at))
		},
	})
}

// countEach counts each block of size bytes as a separate text, and returns the statistics of the last.
func countEach(text io.Reader, size int, count func(io.Reader) (wordstats.Statistics, error)) (last wordstats.Statistics, err error) {
	one := make([]byte, size)
	for {
		n, err := io.ReadFull(text, one)
		if n == 0 && errors.Is(err, io.EOF) {
			return last, nil
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return last, err
		}
		if last, err = count(bytes.NewReader(one[:n])); err != nil {
			return last, err
		}
	}
}

// repeated reads several copies of a file as one text.
type repeated struct {
	file *os.File
	left int // remaining copies
}

func (r *repeated) Read(p []byte) (int, error) {
	n, err := r.file.Read(p)
	if errors.Is(err, io.EOF) && r.left > 0 {
		r.left--
		_, err = r.file.Seek(0, io.SeekStart)
	}
	return n, err
}
