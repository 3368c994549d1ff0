//go:build noengines

package main

// compiling runs the program, which has no engines.
func compiling(run func() int) int { return run() }
