// Package cmd implements the command line of Assay, with one or more files per area. An item describes the things
// of an area, and most commands are built from such descriptions.
//
// Exit status: 0 on success, 1 on failure, 2 for invalid usage, 130 after an interrupt. Results go to standard output,
// everything else to standard error.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/assay/client"
)

// Exit statuses.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130 // the status that a shell reports for an interrupted program
)

// Usage is an invalid use of the command line.
type Usage struct{ Err error }

func (u *Usage) Error() string { return u.Err.Error() }
func (u *Usage) Unwrap() error { return u.Err }

// Main runs the command line of this process and returns its exit status. The first interrupt
// cancels the command's context, and the second terminates the process.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	if err := config.SetCredentials(); err != nil {
		note(os.Stderr, "assay: %v", err)
		return exitUsage
	}
	for _, unknown := range config.Unknown(os.Environ()) {
		note(os.Stderr, "assay: warning: %s", unknown)
	}
	return Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// Run runs one command and returns its exit status.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	shared := &settings{}
	defer shared.close()
	root := newRoot(shared)
	understood := false
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		err := cmd.ValidateFlagGroups()
		understood = err == nil
		return err
	}
	shared.color = colored(stdout)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	completeDefaults(root) // after the outputs are set, because it uses them
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	if _, ok := errors.AsType[*Usage](err); ok || !understood {
		note(stderr, "assay: %v\nSee: %s --help", err, command.CommandPath())
		return exitUsage
	}
	interrupted := ctx.Err() != nil && errors.Is(err, context.Canceled)
	switch known, ok := errors.AsType[*reported](err); {
	case ok && known.summary == "":
	case shared.json && !ok && !interrupted:
		if failed := writeJSON(stdout, failedLine{Error: explain(err)}); failed != nil {
			note(stderr, "assay: %s", explain(err))
		}
	default:
		note(stderr, "assay: %s", explain(err))
	}
	if _, ok := errors.AsType[*config.Error](err); ok {
		return exitUsage
	}
	if interrupted {
		return exitInterrupted
	}
	return exitFailed
}

func newRoot(s *settings) *cobra.Command {
	root := &cobra.Command{
		Use:   "assay",
		Short: "Upload, analyze and search files",
		Long: `Upload, analyze and search files.

The server is --server, else that of the profile, else ASSAY_SERVER, else the "assay
serve" that uses the data folder (--data, else ASSAY_DATA_DIR, else the default folder
of the user). A profile is selected with --profile or ASSAY_PROFILE; see "profiles".
Files belong to an owner: --owner, else ASSAY_OWNER, else an id that is generated
once and stored in the user's configuration folder. A server with ASSAY_AUTH=token
requires --token or ASSAY_TOKEN: an API key, which determines the owner.

Results are written to standard output, everything else to standard error. With --json,
each result and each failure is an object on a line of its own; a failure has the
member "error". Colors are used on terminals only, and not if NO_COLOR is set.

Exit status: 0 on success, 1 on failure, 2 for invalid usage, 130 after Ctrl-C. Commands
that run until Ctrl-C, such as serve, watch and top, then end with 0.`,
		Example: `  assay serve
  assay upload book.txt --wait
  assay list --status failed
  assay watch --json`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,

		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := root.PersistentFlags()
	flags.StringVar(&s.server, "server", "", "address of the server, such as http://127.0.0.1:8080 [ASSAY_SERVER]")
	flags.StringVar(&s.data, "data", "", "data folder of the server on this machine [ASSAY_DATA_DIR]")
	flags.StringVar(&s.owner, "owner", "", "owner of the files [ASSAY_OWNER]")
	flags.StringVar(&s.token, "token", "", "API key or token of the identity provider; prefer the variable [ASSAY_TOKEN]")
	flags.StringVar(&s.profile, "profile", "", "name of a profile; see: assay profiles [ASSAY_PROFILE]")
	flags.BoolVar(&s.json, "json", false, "print JSON: one object per line for each result and each failure")
	completeFlag(root, "profile", func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return offerProfiles(cmd, nil, typed)
	})
	root.AddCommand(newPut(s), newSend(s))
	root.AddCommand(fileCommands(s)...)
	root.AddCommand(
		newFeed(s), newAlerts(s), newPhoto(s), newLibrary(s),
		newItems(s), newFind(s), newTag(s), newUntag(s), newTags(s), newSearches(s), newRules(s), newServe(s), newVerify(s), newBackup(s), newRestore(s), newGateway(), newSetup(), newUpgradeCheck(s), newSweep(s), newLicenses(), newTop(s), newTrace(s), newDead(s), newQuotas(s),
		newAudit(s), newKeys(s), newWebhooks(s), newOpen(s), newProfiles(s), newEnv(s), newOwner(s), newHealth(s), newVersion(s))
	return root
}

// knownCommand returns an error for an unknown command of a group, with a suggestion.
func knownCommand(group *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("unknown command %q for %q", args[0], group.CommandPath())
	group.SuggestionsMinimumDistance = 2
	if meant := group.SuggestionsFor(args[0]); len(meant) > 0 {
		return fmt.Errorf("%w; did you mean %s?", err, strings.Join(meant, " or "))
	}
	return err
}

// completeDefaults adds cobra's own commands and makes them reject unknown arguments like all other
// commands.
func completeDefaults(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, command := range root.Commands() {
		switch command.Name() {
		case "help":
			command.Args = func(_ *cobra.Command, path []string) error {
				found, _, err := root.Find(path)
				if err == nil && len(path) > 0 && found == root {
					err = fmt.Errorf("unknown command %q for %q", path[0], root.Name())
				}
				return err
			}
		case "completion":
			command.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// explain returns the text of an error with advice.
func explain(err error) string {
	if lost, ok := errors.AsType[*client.Unreachable](err); ok && lost.NoServer() {
		return fmt.Sprintf("no Assay server responds at %s; start one with: %s serve", lost.Server, process.Invocation("./services/assay"))
	}
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	if p, ok := errors.AsType[*client.Problem](err); ok && p.Anonymous && p.Type == "urn:assay:problem:unauthenticated" {
		return "the server requires an API key: set ASSAY_TOKEN or --token"
	}
	return err.Error()
}
