package cmd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usage returns an error about an invalid use of a command.
func usage(format string, values ...any) error { return &Usage{Err: fmt.Errorf(format, values...)} }

// oneOf rejects a value that is neither empty nor one of the possible ones.
func oneOf(flag, given string, possible []string) error {
	if given != "" && !slices.Contains(possible, given) {
		return usage("%s %s: must be one of %s", flag, given, strings.Join(possible, ", "))
	}
	return nil
}

// positive rejects a number below 1.
func positive(flag string, given int) error {
	if given < 1 {
		return usage("%s %d: must be 1 or more", flag, given)
	}
	return nil
}

// within rejects a number that the server would reject, and 0, which the server would replace with
// its default.
func within(flag string, given, most int) error {
	if given < 1 || given > most {
		return usage("%s %d: must be between 1 and %d", flag, given, most)
	}
	return nil
}

// moment parses a time, or a duration before now. It returns the zero time if the text is empty.
func moment(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return time.Now().Add(-ago), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, usage(
			"%s %q: must be a time such as 2026-11-20T12:00:00Z, or a duration before now, such as 6h", flag, text)
	}
	return at, nil
}

// group completes a command that only has subcommands.
func group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.Args = knownCommand
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(commands...)
	return cmd
}

// operators adds the flag with the operator address to a command and its subcommands. The port is that of the service
// that has the calls of these commands.
func (s *settings) operators(cmd *cobra.Command, port string) *cobra.Command {
	cmd.PersistentFlags().StringVar(&s.operator, "operator", "",
		"operator address of the server, such as http://127.0.0.1:"+port+" [ASSAY_OPERATOR]")
	return cmd
}

// someGiven rejects a command without any of its own flags, except --if-match.
func someGiven(cmd *cobra.Command, _ []string) error {
	given, own := false, cmd.LocalNonPersistentFlags()
	cmd.Flags().Visit(func(f *pflag.Flag) {
		given = given || own.Lookup(f.Name) != nil && f.Name != "if-match"
	})
	if !given {
		return usage("specify at least one setting")
	}
	return nil
}

// apply changes the fields of to whose flags were given. bind adds a flag for each field, with the value of the field as
// the default.
func apply[T any](given *pflag.FlagSet, bind func(*pflag.FlagSet, *T), to *T) error {
	var failed error
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	bind(flags, to)
	given.Visit(func(f *pflag.Flag) {
		field := flags.Lookup(f.Name)
		if field == nil || failed != nil {
			return // a flag of the command that is not a setting
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			failed = field.Value.(pflag.SliceValue).Replace(list.GetSlice())
		} else {
			failed = field.Value.Set(f.Value.String())
		}
	})
	return failed
}
