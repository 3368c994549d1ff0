//go:build noengines

package cmd

import (
	"errors"

	"github.com/spf13/cobra"
)

// errNoEngines explains how to get a program with the engines.
var errNoEngines = errors.New(`this program was built without the embedded engines of "assay serve"; ` +
	`build it without the tag noengines, or build its image with --build-arg TAGS=`)

// newServe returns `assay serve` for a build without engines, whose services run as separate
// programs. It accepts any arguments and fails.
func newServe(*settings) *cobra.Command { return missing("serve") }

// newVerify returns `assay verify` for a build without engines.
func newVerify(*settings) *cobra.Command { return missing("verify") }

// newRestore returns `assay restore` for a build without engines, which restores only tables.
func newRestore(s *settings) *cobra.Command {
	cmd := missing("restore")
	cmd.AddCommand(newRestoreTables(s))
	return cmd
}

func missing(name string) *cobra.Command {
	return &cobra.Command{
		Use:                name,
		Short:              "Not available: this program was built without the embedded engines",
		Long:               errNoEngines.Error(),
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE:               func(*cobra.Command, []string) error { return &Usage{Err: errNoEngines} },
	}
}
