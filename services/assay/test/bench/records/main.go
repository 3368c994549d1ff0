// Command records measures `assay serve` with a file of many records: the time from the upload to the final state and,
// after a restart, the time of filters and exports.
//
//	go run ./services/assay/test/bench/records [-samples FILE.sdf] [-records 100000]
//
// The file repeats the records of the samples, such as the public ones at
// https://ftp.ncbi.nlm.nih.gov/pubchem/Compound/CURRENT-Full/SDF. Without samples, it contains generated records of the
// same size.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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
	file, size, err := write(filepath.Join(dir, "records.sdf"), *samples, *count)
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
	id, err := process(ctx, out, s, file, size)
	if err := s.stop(out, err); err != nil {
		return err
	}
	if s, err = start(ctx, program, filepath.Join(dir, "data")); err != nil {
		return err
	}
	if err = filters(ctx, out, s.client, id); err == nil {
		err = exports(ctx, out, s, id)
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
func process(ctx context.Context, out io.Writer, s *server, file *os.File, size int64) (id string, err error) {
	before, err := s.time()
	if err != nil {
		return "", err
	}
	began := time.Now()
	n, err := s.client.UploadLibraryFile(ctx, client.NewLibraryFile{Name: "records.sdf", Size: size}, client.Source{Content: file})
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

// filters measures the time to read the first page of each filter.
func filters(ctx context.Context, out io.Writer, c *client.Client, id string) error {
	for _, filter := range []string{"weight < 300", "weight > 100000", "name ~ 'no such' or formula = C6H6"} {
		began := time.Now()
		page, err := c.RecordPage(ctx, id, client.RecordQuery{Filter: filter}, "")
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%-36s %4d ms, %d of %d records on the page\n", filter, time.Since(began).Milliseconds(), len(page.Records), page.Total)
	}
	return nil
}

// exports measures the time to export all records in each format, and the peak memory of the server.
func exports(ctx context.Context, out io.Writer, s *server, id string) error {
	for _, format := range []string{"csv", "jsonl", "sdf"} {
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
