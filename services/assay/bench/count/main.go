// Command count counts the words of a file once and prints the statistics. The
// bench runs it as a process of its own, so that nothing but the counting is
// measured; built with the tag purego it has the portable kernel only.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/assay-project/assay/services/analyzer/wordstats"
)

func main() {
	by := flag.String("by", "wordstats", "wordstats, or uax29: libraries and a map")
	times := flag.Int("times", 1, "how often the file is read, as one text")
	flag.Parse()
	if err := run(*by, *times, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
}

func run(by string, times int, paths []string) error {
	if len(paths) != 1 {
		return fmt.Errorf("give one file, not %d", len(paths))
	}
	file, err := os.Open(paths[0]) // closed by the end of the process
	if err != nil {
		return err
	}
	var statistics wordstats.Statistics
	switch by {
	case "wordstats":
		statistics, err = wordstats.Count(&repeated{file: file, left: times - 1})
	case "uax29":
		statistics, err = countByLibraries(&repeated{file: file, left: times - 1})
	default:
		return fmt.Errorf("-by %s: give wordstats or uax29", by)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(struct {
		Kernel string
		wordstats.Statistics
	}{wordstats.Kernel(), statistics})
}

// repeated reads a file, and so many times more.
type repeated struct {
	file *os.File
	left int
}

func (r *repeated) Read(p []byte) (int, error) {
	n, err := r.file.Read(p)
	if errors.Is(err, io.EOF) && r.left > 0 {
		r.left--
		_, err = r.file.Seek(0, io.SeekStart)
	}
	return n, err
}
