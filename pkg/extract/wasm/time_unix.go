//go:build unix

package wasm

import (
	"syscall"
	"time"
)

// processorTime returns the processor time that the process has used.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return time.Duration(time.Now().UnixNano()) // every interval counts fully
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
