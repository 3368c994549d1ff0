//go:build noengines

package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/cli"
)

// errNoEngines says how to get what this program was built without.
var errNoEngines = errors.New(`this program was built without the engines that "assay serve" runs on; ` +
	`build it without the tag noengines, or its image with --build-arg TAGS=`)

// serveCommand is `assay serve` where the services run apart: it takes whatever
// the real one takes, and fails.
func serveCommand() *cobra.Command { return missing("serve") }

// verifyCommand is the same for `assay verify`.
func verifyCommand() *cobra.Command { return missing("verify") }

func missing(name string) *cobra.Command {
	return &cobra.Command{
		Use:                name,
		Short:              "Not in this program, which was built without the engines",
		Long:               errNoEngines.Error(),
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE:               func(*cobra.Command, []string) error { return &cli.Usage{Err: errNoEngines} },
	}
}
