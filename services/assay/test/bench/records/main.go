// Command records measures `assay serve` with a file of many records: the time from the upload to the final state and,
// after a restart, the time of filters, sorted pages, summaries and exports.
//
//	go run ./services/assay/test/bench/records [-samples FILE.sdf] [-records 100000]
//	go run ./services/assay/test/bench/records -rows 1000000
//
// With -rows, the file is a table of 20 columns.
// The file repeats the records of the samples, such as the public ones at
// https://ftp.ncbi.nlm.nih.gov/pubchem/Compound/CURRENT-Full/SDF. Without samples, it contains generated records of the
// same size.
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/bench/command"
	"github.com/assay-project/assay/services/assay/test/bench/molecules"
	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

func main() {
	command.Main(run)
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("records", flag.ExitOnError)
	samples := flags.String("samples", "", "an SDF file whose records are repeated")
	count := flags.Int("records", 100_000, "number of records in the file")
	rows := flags.Int("rows", 0, "number of rows of a generated table with 20 columns, instead of molecules")
	at := command.Dir(flags, "temporary data, about 3 GB")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := os.MkdirAll(*at, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(*at, "records-")
	if err != nil {
		return err
	}
	defer func() {
		if failed := os.RemoveAll(dir); err == nil {
			err = failed
		}
	}()
	program := filepath.Join(dir, "assay")
	if text, err := exec.CommandContext(ctx, "go", "build", "-o", program, "./services/assay").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, text)
	}
	of, name := molecular, "records.sdf"
	create := func(path string) (*os.File, int64, error) { return write(path, *samples, *count) }
	if *rows > 0 {
		of, name, *count = tabular, "records.csv", *rows
		create = func(path string) (*os.File, int64, error) { return writeTable(path, *rows) }
	}
	file, size, err := create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // a temporary file
	paired.PrintMachine(out)
	fmt.Fprintf(out, "%d records, %d MB\n", *count, size>>20)

	s, err := start(ctx, program, filepath.Join(dir, "data"))
	if err != nil {
		return err
	}
	id, err := process(ctx, out, s, file, name, size)
	if err := s.stop(out, err); err != nil {
		return err
	}
	if s, err = start(ctx, program, filepath.Join(dir, "data")); err != nil {
		return err
	}
	err = pages(ctx, out, s, id, of)
	if err == nil {
		err = summaries(ctx, out, s, id, of)
	}
	if err == nil {
		err = exports(ctx, out, s, id, of)
	}
	return s.stop(out, err)
}

// write creates a file with count records, and returns it with its size in bytes.
func write(path, samples string, count int) (*os.File, int64, error) {
	source, err := molecules.Samples(samples)
	if err != nil {
		return nil, 0, err
	}
	end := []byte(molecules.End)
	file, err := os.Create(path)
	if err != nil {
		return nil, 0, err
	}
	for each := bytes.Count(source, end); count > 0 && err == nil; count -= each {
		part := source
		for ; each > count; each-- {
			part = part[:bytes.LastIndex(part[:len(part)-len(end)], end)+len(end)]
		}
		_, err = file.Write(part)
	}
	size, failed := file.Seek(0, io.SeekEnd)
	if err == nil {
		err = failed
	}
	return file, size, err
}

// process uploads the file, waits until it is processed, and returns its node id.
func process(ctx context.Context, out io.Writer, s *server, file *os.File, name string, size int64) (id string, err error) {
	before, err := s.time()
	if err != nil {
		return "", err
	}
	began := time.Now()
	n, err := s.client.UploadLibraryFile(ctx, client.NewLibraryFile{Name: name, Size: size}, client.Source{Content: file})
	if err != nil {
		return "", err
	}
	uploaded := time.Since(began)
	if n, err = s.client.WaitNode(ctx, n.ID); err != nil {
		return "", err
	}
	all := time.Since(began)
	after, err := s.time()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(out, "%s: %d records in %.1f s after an upload of %.1f s; CPU time including the upload: %.1f s; picture sizes: %d\n",
		n.Status, n.TotalRecords, (all - uploaded).Seconds(), uploaded.Seconds(), (after - before).Seconds(), len(n.Images))
	return n.ID, nil
}

// queries are the requests that are measured.
type queries struct {
	pages     []client.RecordQuery
	summaries []client.SummaryQuery
	exports   []string // formats
}

var (
	molecular = queries{
		pages: []client.RecordQuery{
			{Filter: "weight < 300"}, {Filter: "weight > 100000"}, {Filter: "name ~ 'no such' or formula = C6H6"}, {Sort: "-weight"}, {Sort: "formula,weight"},
		},
		summaries: []client.SummaryQuery{{}, {Filter: "weight < 300", Fields: "weight"}, {Fields: "weight", Group: "charge"}},
		exports:   []string{"csv", "jsonl", "sdf"},
	}
	tabular = queries{
		pages: []client.RecordQuery{
			{Filter: "temp > 30"}, {Filter: "sample = S000001"}, {Filter: "comment ~ note and site = west"},
			{Sort: "-temp"}, {Sort: "-temp", Limit: 200}, {Sort: "code"}, {Sort: "date"}, {Sort: "site,-conc"}, {Sort: "mass", Filter: "temp > 30"},
		},
		summaries: []client.SummaryQuery{{}, {Filter: "temp > 30", Fields: "conc"}, {Fields: "temp", Group: "operator"}},
		exports:   []string{"csv", "jsonl"},
	}
)

// pages measures the time to read the first page of each query.
func pages(ctx context.Context, out io.Writer, s *server, id string, of queries) error {
	for _, q := range of.pages {
		var page client.RecordPage
		wall, used, err := s.measure(func() (err error) {
			page, err = s.client.RecordPage(ctx, id, q, "")
			return err
		})
		if err != nil {
			return err
		}
		matched := page.MatchedAtLeast
		if page.Matched != nil {
			matched = *page.Matched
		}
		fmt.Fprintf(out, "page of %-42s %5d ms, CPU %5d ms, %d of %d records match\n",
			q.Filter+" by "+cmp.Or(q.Sort, "number"), wall.Milliseconds(), used.Milliseconds(), matched, page.Total)
	}
	return nil
}

// summaries measures the time of each summary.
func summaries(ctx context.Context, out io.Writer, s *server, id string, of queries) error {
	for _, q := range of.summaries {
		var summary client.RecordSummary
		wall, used, err := s.measure(func() (err error) {
			summary, err = s.client.SummarizeRecords(ctx, id, q)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "summary of %-39s %5d ms, CPU %5d ms, %d fields, %d groups\n",
			strings.Join([]string{q.Fields, q.Filter, q.Group}, " "), wall.Milliseconds(), used.Milliseconds(), len(summary.Fields), len(summary.Groups))
	}
	return nil
}

// exports measures the time to export all records in each format, and the peak memory of the server.
func exports(ctx context.Context, out io.Writer, s *server, id string, of queries) error {
	for _, format := range of.exports {
		began := time.Now()
		body, err := s.client.ExportRecords(ctx, id, client.Export{Format: format})
		if err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, body)
		if err != nil {
			return err
		}
		if err := body.Close(); err != nil {
			return err
		}
		peak, err := s.peak()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "export as %-5s %6.1f s, %d MB; peak memory so far %d MB\n", format, time.Since(began).Seconds(), n>>20, peak>>20)
	}
	return nil
}
