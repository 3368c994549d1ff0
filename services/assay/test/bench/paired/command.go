package paired

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// Quantities of a process.
const (
	CPU  = "cpu"  // seconds of processor time, user and system, all threads
	Wall = "wall" // seconds from start to exit
	Peak = "peak" // peak resident memory in bytes, reported by the process itself: see OwnPeak
)

// Process is a program to run as a side.
type Process struct {
	Path  string
	Args  []string
	Stdin string   // name of a file; empty means none
	Env   []string // added to the environment of this process
}

// Command returns the side that runs a program to its end and reads CPU and Wall from the
// operating system (getrusage). Its output is discarded. A run fails
// if the program fails, with its standard error.
func Command(name string, p Process) Side {
	return Side{Name: name, Run: func(ctx context.Context) (Sample, error) {
		sample, _, err := p.Run(ctx)
		return sample, err
	}}
}

// Run runs the program once and returns its cost and its output.
func (p Process) Run(ctx context.Context) (Sample, []byte, error) {
	cmd := exec.CommandContext(ctx, p.Path, p.Args...)
	var output, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &complaints
	cmd.Env = append(os.Environ(), p.Env...)
	if p.Stdin != "" {
		in, err := os.Open(p.Stdin)
		if err != nil {
			return nil, nil, err
		}
		defer func() { _ = in.Close() }() // opened for reading only
		cmd.Stdin = in
	}
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w\n%s", cmd, err, complaints.Bytes())
	}
	wall := time.Since(start)
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return nil, nil, errors.New("the operating system does not report the usage of a process")
	}
	return Sample{CPU: processorSeconds(usage), Wall: wall.Seconds()}, output.Bytes(), nil
}

// OwnCPU returns the CPU seconds that this process has used so far, for sides
// that run in it.
func OwnCPU() (float64, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("getrusage: %w", err)
	}
	return processorSeconds(&usage), nil
}

func processorSeconds(u *syscall.Rusage) float64 {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// OwnPeak returns the peak resident memory of this process in bytes. On
// Linux it is VmHWM of its own memory map: getrusage, used elsewhere,
// returns at least the parent's peak, because a child starts in the parent's map
// and exec keeps the value.
func OwnPeak() (float64, error) {
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		if mark := highWater.FindSubmatch(status); mark != nil {
			kilobytes, err := strconv.ParseFloat(string(mark[1]), 64)
			return kilobytes * 1024, err
		}
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("getrusage: %w", err)
	}
	if runtime.GOOS == "darwin" {
		return float64(usage.Maxrss), nil
	}
	return float64(usage.Maxrss) * 1024, nil
}

var highWater = regexp.MustCompile(`(?m)^VmHWM:\s*(\d+) kB$`)
