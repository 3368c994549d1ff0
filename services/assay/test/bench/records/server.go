package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/endpoints"
	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

// server is a process of `assay serve`.
type server struct {
	command *exec.Cmd
	client  *client.Client
}

// start starts the server on a data directory and returns once it is ready.
func start(ctx context.Context, program, data string) (*server, error) {
	command := exec.CommandContext(ctx, program, "serve", "--data", data)
	environment := append([]string{"ASSAY_RDKIT=false"}, os.Environ()...) // the environment may enable RDKit
	command.Env = append(environment, "ASSAY_ADDR=127.0.0.1:0", "ASSAY_NATS_ADDR=127.0.0.1:0", "ASSAY_S3_ADDR=127.0.0.1:0", "ASSAY_DYNAMODB_ADDR=127.0.0.1:0")
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		return nil, err
	}
	ready := make(chan bool, 1)
	var text bytes.Buffer
	go func() {
		began := false
		for lines := bufio.NewScanner(output); lines.Scan(); {
			switch {
			case strings.Contains(lines.Text(), "Assay is ready."):
				began = true
				ready <- true
			case !began:
				fmt.Fprintln(&text, lines.Text())
			}
		}
		close(ready)
	}()
	if !<-ready {
		return nil, fmt.Errorf("assay serve ended before it was ready: %w", errors.Join(command.Wait(), errors.New(text.String())))
	}
	at, err := endpoints.Read(data)
	if err != nil {
		return nil, errors.Join(err, command.Process.Kill())
	}
	c, err := client.New(client.Config{Server: at.HTTP, OwnerID: "bench"})
	return &server{command, c}, err
}

// stop prints the peak memory of the server and stops it. It returns before joined with its own errors.
func (s *server) stop(out io.Writer, before error) error {
	peak, err := s.peak()
	if err == nil {
		fmt.Fprintf(out, "peak memory of assay serve: %d MB\n", peak>>20)
	}
	s.client.Close()
	return errors.Join(before, err, s.command.Process.Signal(os.Interrupt), s.command.Wait())
}

// peak returns the peak resident memory in bytes.
func (s *server) peak() (int64, error) {
	peak, err := paired.PeakOf(s.command.Process.Pid)
	return int64(peak), err
}

// time returns the CPU time used so far (utime and stime in proc(5), in hundredths of a second).
func (s *server) time() (time.Duration, error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	stat := string(content)
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, errors.New("/proc/PID/stat has no utime and stime")
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond, errors.Join(err, err2)
}

// measure returns the wall time of a call and the CPU time that the server uses meanwhile.
func (s *server) measure(call func() error) (wall, used time.Duration, err error) {
	before, err := s.time()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := call(); err != nil {
		return 0, 0, err
	}
	wall = time.Since(began)
	after, err := s.time()
	return wall, after - before, err
}
