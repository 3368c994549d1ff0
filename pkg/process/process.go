// Package process runs a service as a process: settings from the environment,
// signals, health, exit status.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/assay-project/assay/pkg/config"
)

// Exit statuses.
const (
	exitFailed = 1
	exitUsage  = 2
)

// Settings are the settings of a service.
type Settings interface {
	// HTTPAddr returns the address on which the service listens, as host:port.
	HTTPAddr() string
}

// Main loads a C from the environment and the credentials of systemd, and acts on the first argument of the
// process:
//
//   - none: runs the service until the first interrupt or SIGTERM cancels run's
//     context; the second ends the process immediately
//   - health: checks whether the service that runs with the same settings is ready
//   - version: prints the version
//   - licenses: prints the project's license and the given notices
//   - help, --help or -h: prints the arguments and the settings
//
// It warns about variables that begin with ASSAY_ and that no program reads.
//
// It returns the exit status: 0 on success, 1 on failure, 2 when
// the argument or the settings are invalid.
func Main[C Settings](service string, run func(context.Context, C) error, notices ...string) int {
	command := strings.Join(os.Args[1:], " ")
	switch command {
	case "version":
		fmt.Println(service, ThisBuild())
		return 0
	case "licenses":
		fmt.Print(Licenses(notices...))
		return 0
	case "help", "--help", "-h":
		fmt.Print(usage(service, config.Variables[C]()))
		return 0
	}
	if err := config.SetCredentials(); err != nil {
		fmt.Fprintf(os.Stderr, "%s cannot start: %v\n", service, err)
		return exitUsage
	}
	settings, err := config.Load[C](os.Environ())
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s cannot start:\n%v\n", service, err)
		return exitUsage
	}
	for _, unknown := range config.Unknown(os.Environ(), config.Variables[C]()...) {
		fmt.Fprintf(os.Stderr, "%s: warning: %s\n", service, unknown)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal, restore the default behavior, so that a second one ends the process.
	context.AfterFunc(ctx, stop)
	switch command {
	case "":
		err = run(ctx, settings)
	case "health":
		err = healthy(ctx, settings)
	default:
		fmt.Fprintf(os.Stderr, "%s: unknown argument %q: run it without arguments, or with health, version, licenses or help; settings are environment variables\n", service, command)
		return exitUsage
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", service, err)
	if _, ok := errors.AsType[*config.Error](err); ok {
		return exitUsage
	}
	return exitFailed
}

func healthy(ctx context.Context, settings Settings) error {
	exposure, err := config.Load[Exposure](os.Environ())
	if err != nil {
		return err
	}
	url, err := ownURL(settings.HTTPAddr(), exposure.TLS)
	if err != nil {
		return err
	}
	return ownReady(ctx, url)
}
