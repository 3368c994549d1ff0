//go:build !noengines

package main

import "github.com/assay-project/assay/pkg/extract/wasm"

// compiling runs the program so that it can compile engines in separate processes.
func compiling(run func() int) int { return wasm.Main(run) }
