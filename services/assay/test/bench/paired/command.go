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
	CPU  = "cpu"  // seconds of CPU time, user and system, of all threads
	Wall = "wall" // seconds from start to exit
	Peak = "peak" // peak resident memory in bytes, reported by the process itself: see OwnPeak
)

// Process is a program to run as a side.
type Process struct {
	Path  string
	Args  []string
	Stdin string   // name of a file; empty means none
	Env   []string // variables added to the environment of this process
}

// Command returns a side that runs a program and measures CPU (with getrusage) and Wall. The output
// of the program is discarded. If the program fails, the error includes its standard error.
func Command(name string, p Process) Side {
	return Side{Name: name, Run: func(ctx context.Context) (Sample, error) {
		sample, _, err := p.Run(ctx)
		return sample, err
	}}
}

// Run runs the program once and returns its cost and its output.
func (p Process) Run(ctx context.Context) (Sample, []byte, error) {
	cmd := exec.CommandContext(ctx, p.Path, p.Args...)
	var output, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &stderr
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
		return nil, nil, fmt.Errorf("%s: %w\n%s", cmd, err, stderr.Bytes())
	}
	wall := time.Since(start)
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return nil, nil, errors.New("the operating system does not report the resource usage of a process")
	}
	return Sample{CPU: cpuSeconds(usage), Wall: wall.Seconds()}, output.Bytes(), nil
}

// OwnCPU returns the CPU time that this process has used so far, in seconds, for
// sides that run in this process.
func OwnCPU() (float64, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("getrusage: %w", err)
	}
	return cpuSeconds(&usage), nil
}

func cpuSeconds(u *syscall.Rusage) float64 {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// OwnPeak returns the peak resident memory of this process in bytes. On Linux, it
// is the result of PeakOf. Other systems use getrusage, which on Linux would
// return at least the peak of the parent: a child starts with the parent's memory
// map, and exec keeps its peak.
func OwnPeak() (float64, error) {
	if peak, err := PeakOf(os.Getpid()); err == nil {
		return peak, nil
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

// PeakOf returns the peak resident memory of a running process in bytes: VmHWM in proc(5). Systems other than Linux do
// not report it.
func PeakOf(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	mark := highWater.FindSubmatch(status)
	if mark == nil {
		return 0, fmt.Errorf("/proc/%d/status has no VmHWM", pid)
	}
	kilobytes, err := strconv.ParseFloat(string(mark[1]), 64)
	return kilobytes * 1024, err
}

var highWater = regexp.MustCompile(`(?m)^VmHWM:\s*(\d+) kB$`)
