package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// startRival runs the binary at path on a free loopback port, in memory, and
// waits until it listens. An empty path starts a second dynamolite instead.
func startRival(ctx context.Context, path string) (*client, func(), error) {
	if path == "" {
		return startDynamolite()
	}
	port, err := freePort()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, path, "serve", "--port", strconv.Itoa(port))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("rival: %w", err)
	}
	stop := func() {
		// Wait returns an ExitError because of Kill.
		if err := errors.Join(cmd.Process.Kill(), ignoreExit(cmd.Wait())); err != nil {
			fmt.Fprintln(os.Stderr, "difftest: rival:", err)
		}
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	if err := waitListening(ctx, address); err != nil {
		stop()
		return nil, nil, fmt.Errorf("rival: %w", err)
	}
	return newClient("rival", "http://"+address), stop, nil
}

func ignoreExit(err error) error {
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil
	}
	return err
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}

// waitListening tries to connect until it succeeds, for at most ten seconds.
func waitListening(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}
