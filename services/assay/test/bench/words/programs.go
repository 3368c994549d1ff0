package words

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"

	"github.com/assay-project/assay/pkg/extract/wordstats"
	"github.com/assay-project/assay/services/assay/test/bench/command"
	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

// File names of the rival programs, each built according to its own instructions. Most read
// standard input. docs/performance.md describes them.
const (
	goOptimized = "countwords-go-optimized"
	goCustom    = "countwords-go-customhash"
	cOptimized  = "countwords-c-optimized"
	rustTrie    = "bentley-rust-trie" // arguments: the file and the number of words to print
	publicTrie  = "countwords-rust-trie"
	fastlwc     = "fastlwc"
)

// programs contains the programs that the trials run.
type programs struct {
	count, portable string // paths
	bucket          string
	rivals          string // the directory of the rivals, or empty
}

// build builds the program count, with all kernels and with the portable kernel only, and the program bucket.
func build(ctx context.Context, dir, rivals string) (programs, error) {
	p := programs{count: filepath.Join(dir, "count"), portable: filepath.Join(dir, "count-portable"), rivals: rivals}
	p.bucket = filepath.Join(dir, "bucket")
	return p, errors.Join(
		command.Build(ctx, p.count, "words/count", ""),
		command.Build(ctx, p.portable, "words/count", "purego"),
		command.Build(ctx, p.bucket, "words/bucket", ""),
	)
}

// counted is the output of the program count.
type counted struct {
	Kernel string
	Peak   float64 // bytes of memory
	wordstats.Statistics
}

// check counts a text with both builds of the program count and with the libraries. It returns the
// name of the kernel, and an error unless the counts match.
func (p programs) check(ctx context.Context, t text) (string, error) {
	var answers [3]counted
	for i, process := range []paired.Process{
		{Path: p.count, Args: []string{t.path}}, {Path: p.portable, Args: []string{t.path}}, {Path: p.count, Args: []string{"-by", "uax29", t.path}},
	} {
		_, output, err := process.Run(ctx)
		if err != nil {
			return "", err
		}
		if err := json.Unmarshal(output, &answers[i]); err != nil {
			return "", fmt.Errorf("%s: %w", process.Path, err)
		}
		if !reflect.DeepEqual(answers[i].Statistics, answers[0].Statistics) {
			return "", fmt.Errorf("%s: the counts of %s and of the kernel %s differ: %+v, %+v", t.name, process.Path, answers[0].Kernel, answers[i], answers[0])
		}
	}
	return answers[0].Kernel, nil
}

// rival returns the side of a program, or the reason why it is absent.
func (p programs) rival(name string, t text) (side paired.Side, absent string) {
	if p.rivals == "" {
		return paired.Side{Name: name}, "-rivals is not set"
	}
	path, err := exec.LookPath(filepath.Join(p.rivals, name))
	if err != nil {
		return paired.Side{Name: name}, fmt.Sprintf("%s is not in the -rivals directory", name)
	}
	switch name {
	case rustTrie:
		return paired.Command(name, paired.Process{Path: path, Args: []string{t.path, "10"}}), ""
	case fastlwc:
		return paired.Command(name, paired.Process{Path: path, Args: []string{t.path}}), ""
	}
	return paired.Command(name, paired.Process{Path: path, Stdin: t.path}), ""
}

// wc returns the side of the installed wc.
func wc(flag string, t text) (side paired.Side, absent string) {
	name := "wc " + flag + " (C.UTF-8)"
	path, err := exec.LookPath("wc")
	if err != nil {
		return paired.Side{Name: name}, "wc is not installed"
	}
	return paired.Command(name, paired.Process{Path: path, Args: []string{flag}, Stdin: t.path, Env: []string{"LC_ALL=C.UTF-8"}}), ""
}
