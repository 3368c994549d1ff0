// Package process runs a service as a process: settings from the environment,
// signals, exit status.
package process

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/assay-project/assay/pkg/config"
)

// Exit statuses.
const (
	exitFailed = 1
	exitUsage  = 2
)

// Main loads a C from the environment, runs, and returns the exit status: 0
// after a clean stop, 1 when run failed, 2 when the settings are not usable.
// The first interrupt or SIGTERM ends run's context; the second ends the
// process at once.
func Main[C any](service string, run func(context.Context, C) error) int {
	settings, err := config.Load[C](os.Environ())
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s cannot start:\n%v\n", service, err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal the next one has its usual effect again.
	context.AfterFunc(ctx, stop)
	if err := run(ctx, settings); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", service, err)
		return exitFailed
	}
	return 0
}
