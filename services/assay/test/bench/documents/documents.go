// Package documents compares how Assay, poppler and LibreOffice read public documents: the goals D1 and D2 of
// docs/performance.md.
package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/assay-project/assay/services/assay/test/bench/command"
	"github.com/assay-project/assay/services/assay/test/bench/paired"
	"github.com/assay-project/assay/services/assay/test/corpus"
)

// Options configures the measurement.
type Options struct {
	Dir    string    // for the program, which is kept for later runs, and for results
	Corpus string    // folder of the corpus; if empty, nothing is measured
	Out    io.Writer // for messages
}

const (
	pdfs   = 59 // number of PDFs to read: the first ones in the manifest
	office = 4  // number of documents to read in each office format: the first ones in the manifest
)

// Trials builds the program and returns the trials. The rivals are the installed poppler and LibreOffice (Debian
// packages poppler-utils and libreoffice).
func Trials(ctx context.Context, o Options) ([]paired.Trial, error) {
	if o.Corpus == "" {
		fmt.Fprintf(o.Out, "documents: NOT MEASURED without -corpus or %s\n", corpus.Dir)
		return nil, nil
	}
	found, _, err := corpus.In(o.Corpus)
	if err != nil {
		return nil, err
	}
	paths := map[string][]string{}
	for _, d := range found {
		most := office
		if d.Ending() == "pdf" {
			most = pdfs
		}
		if len(paths[d.Ending()]) < most {
			paths[d.Ending()] = append(paths[d.Ending()], filepath.Join(o.Corpus, d.Name()))
		}
	}
	own := filepath.Join(o.Dir, "read-documents")
	if err := command.Build(ctx, own, "documents/read", ""); err != nil {
		return nil, err
	}
	out := filepath.Join(o.Dir, "documents")
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	var texts []string
	for _, ending := range []string{"docx", "odt", "xlsx", "pptx"} {
		texts = append(texts, paths[ending]...)
	}
	return []paired.Trial{
		trial(fmt.Sprintf("text and first page of %d PDFs", len(paths["pdf"])), "pdftotext and pdftoppm", []string{"pdftotext", "pdftoppm"},
			assay(own, append([]string{"pdf"}, paths["pdf"]...)), poppler(paths["pdf"], out),
			paired.Goal{ID: "D1", What: "CPU", Quantity: paired.CPU, Direction: paired.AtMost, Must: 3}),
		trial(fmt.Sprintf("text of %d office documents", len(texts)), "LibreOffice", []string{"soffice"},
			assay(own, append([]string{"office"}, texts...)), libreOffice(paths, out),
			paired.Goal{ID: "D2", What: "CPU", Quantity: paired.CPU, Direction: paired.AtMost, Must: 0.1}),
	}, nil
}

type run = func(ctx context.Context) (paired.Sample, error)

func trial(title, rival string, programs []string, own, other run, goal paired.Goal) paired.Trial {
	t := paired.Trial{Title: title, Own: paired.Side{Name: "assay", Run: own}, Rival: paired.Side{Name: rival, Run: other}, Goals: []paired.Goal{goal}}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Absent = program + " is not on PATH"
		}
	}
	return t
}

func assay(path string, args []string) run {
	return func(ctx context.Context) (paired.Sample, error) {
		sample, _, err := paired.Process{Path: path, Args: args, Env: []string{"GOMAXPROCS=1"}}.Run(ctx)
		return sample, err
	}
}

// poppler returns a run of both programs on each document. The cost includes documents that they cannot read.
func poppler(paths []string, out string) run {
	return func(ctx context.Context) (paired.Sample, error) {
		sum := paired.Sample{}
		for _, path := range paths {
			for program, args := range map[string][]string{
				"pdftotext": {"-q", path, filepath.Join(out, "text")},
				"pdftoppm":  {"-q", "-f", "1", "-l", "1", "-scale-to", "1200", path, filepath.Join(out, "page")},
			} {
				if err := add(ctx, sum, program, args); err != nil {
					return nil, err
				}
			}
		}
		return sum, nil
	}
}

// libreOffice returns a run of LibreOffice that exports all documents, with one process per format.
func libreOffice(paths map[string][]string, out string) run {
	return func(ctx context.Context) (paired.Sample, error) {
		sum := paired.Sample{}
		for _, ending := range []string{"docx", "odt", "xlsx", "pptx"} {
			args := append([]string{"-env:UserInstallation=file://" + filepath.Join(out, "profile"), "--headless", "--norestore", "--convert-to", corpus.ExportFilter(ending), "--outdir", out}, paths[ending]...)
			if err := add(ctx, sum, "soffice", args); err != nil {
				return nil, err
			}
		}
		return sum, nil
	}
}

// add runs a program, which may fail, and adds its cost to sum.
func add(ctx context.Context, sum paired.Sample, program string, args []string) error {
	path, err := exec.LookPath(program)
	if err != nil {
		return err
	}
	// The shell exits with status 0, and its usage includes the CPU time of the program.
	sample, _, err := paired.Process{Path: "/bin/sh", Args: append([]string{"-c", `"$0" "$@" || true`, path}, args...)}.Run(ctx)
	if err != nil {
		return errors.Join(err, ctx.Err())
	}
	sum.Add(sample)
	return nil
}
