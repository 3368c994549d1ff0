package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/bus/attempt"
	"github.com/assay-project/assay/services/assay/client"
)

func newDead(s *settings) *cobra.Command {
	var operator string
	cmd := &cobra.Command{
		Use:   "dead",
		Short: "List, show, replay and drop dead letters",
		Long: `List, show, replay and drop dead letters: messages that no consumer could
process, each with the reason and the number of attempts.

The commands call the server's operator address: --operator, else ASSAY_OPERATOR, else
that of a running "assay serve".`,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&operator, "operator", "", "operator address of the server, such as http://127.0.0.1:8087 [ASSAY_OPERATOR]")
	cmd.AddCommand(
		newDeadList(s, &operator), newDeadShow(s, &operator),
		newBulk(s, &operator, &cobra.Command{
			Use: "replay [SEQUENCE…]", Short: "Reprocess the items of dead letters",
			Long: `Reprocess the items of dead letters, selected by sequence or by a filter. A FAILED
file is analyzed again. Items that have since recovered, or failed for another reason,
are skipped. Dead letters remain until they are dropped.`,
			Example: `  assay dead replay 17
  assay dead replay --reason "S3" --from 6h --dry-run`,
		}, "replayed", (*client.Client).ReplayDead),
		newBulk(s, &operator, &cobra.Command{
			Use: "drop [SEQUENCE…]", Short: "Delete dead letters",
			Example: `  assay dead drop 17
  assay dead drop --to 720h`,
		}, "dropped", (*client.Client).DropDead))
	return cmd
}

// deadFilter holds the flags that select dead letters.
type deadFilter struct{ consumer, reason, from, to string }

func (f *deadFilter) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.consumer, "consumer", "", "only dead letters of this consumer, such as analyzer-textfile")
	flags.StringVar(&f.reason, "reason", "", "only dead letters whose reason contains this text")
	flags.StringVar(&f.from, "from", "", "only dead letters since this time (RFC 3339), or within this duration before now (6h)")
	flags.StringVar(&f.to, "to", "", "only dead letters before this time (RFC 3339), or older than this duration (6h)")
}

func (f *deadFilter) read() (client.DeadFilter, error) {
	from, err := moment("--from", f.from)
	to, failed := moment("--to", f.to)
	return client.DeadFilter{Consumer: f.consumer, Reason: f.reason, From: from, To: to}, errors.Join(err, failed)
}

func moment(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return time.Now().Add(-ago), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, &Usage{Err: fmt.Errorf("%s %q: must be a time such as 2026-11-20T12:00:00Z, or a duration before now, such as 6h", flag, text)}
	}
	return at, nil
}

// within rejects a number that the server would reject, and 0, which the server would replace with
// its default.
func within(flag string, given, most int) error {
	if given < 1 || given > most {
		return &Usage{Err: fmt.Errorf("%s %d: must be between 1 and %d", flag, given, most)}
	}
	return nil
}

func newDeadList(s *settings, operator *string) *cobra.Command {
	var given deadFilter
	var limit int
	cmd := &cobra.Command{
		Use: "list", Short: "List dead letters, oldest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := given.read()
			if err := errors.Join(err, within("--limit", limit, 1000)); err != nil {
				return err
			}
			c, err := s.operatorClient(*operator)
			if err != nil {
				return err
			}
			deadLetters, more, err := c.DeadLetters(cmd.Context(), filter, 0, limit)
			if err != nil {
				return err
			}
			if err := s.writeDeadLetters(cmd.OutOrStdout(), deadLetters); err != nil {
				return err
			}
			if more {
				note(cmd.ErrOrStderr(), "There are more; raise --limit or use a filter.")
			}
			return nil
		},
	}
	given.flags(cmd)
	cmd.Flags().IntVar(&limit, "limit", 100, "maximum number of dead letters to list, up to 1000")
	return cmd
}

// writeDeadLetters writes a list of dead letters.
func (s *settings) writeDeadLetters(w io.Writer, all []client.DeadLetter) error {
	var out strings.Builder
	if len(all) > 0 {
		out.WriteString("SEQUENCE\tGIVEN UP\tCONSUMER\tITEM\tATTEMPTS\tREASON\n")
	}
	for _, l := range all {
		if s.json {
			if err := writeJSON(w, l); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(&out, "%d\t%s\t%s\t%s\t%s\t%s\n", l.Sequence, l.Last.Local().Format(time.DateTime), l.Consumer, shown(l.Item), attempts(l), shown(l.Reason))
	}
	if s.json {
		return nil
	}
	return writeTable(w, out.String())
}

// writeDeadLetter writes a dead letter as one line, followed by the outcome.
func (s *settings) writeDeadLetter(w io.Writer, l client.DeadLetter, outcome string) error {
	if s.json {
		return writeJSON(w, l)
	}
	_, err := fmt.Fprintf(w, "%d  %s  %s  %s  %s: %s%s\n",
		l.Sequence, l.Last.Local().Format(time.DateTime), l.Consumer, shown(l.Item), attempts(l), shown(l.Reason), outcome)
	return err
}

// attempts describes the number of processing attempts of a message. It is 0 in dead letters that a sweep restored.
func attempts(l client.DeadLetter) string {
	if l.Attempts == 0 {
		return "restored"
	}
	return attempt.Count(l.Attempts)
}

func newDeadShow(s *settings, operator *string) *cobra.Command {
	return &cobra.Command{
		Use: "show SEQUENCE", Short: "Show a dead letter with its payload, as JSON", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			sequence, err := parseSequence(args[0])
			if err != nil {
				return err
			}
			c, err := s.operatorClient(*operator)
			if err != nil {
				return err
			}
			deadLetter, err := c.DeadLetter(cmd.Context(), sequence)
			if err != nil {
				return err
			}
			return writeJSON(cmd.OutOrStdout(), deadLetter)
		},
	}
}

func parseSequence(text string) (uint64, error) {
	sequence, err := strconv.ParseUint(text, 10, 64)
	if err != nil || sequence == 0 {
		return 0, &Usage{Err: fmt.Errorf("%q is not the sequence of a dead letter; see: assay dead list", text)}
	}
	return sequence, nil
}

// bulkCall is a call for selected dead letters.
type bulkCall func(*client.Client, context.Context, client.BulkRequest) (client.BulkResult, error)

func newBulk(s *settings, operator *string, cmd *cobra.Command, did string, do bulkCall) *cobra.Command {
	var given deadFilter
	var what client.BulkRequest
	var all bool
	cmd.Args = func(_ *cobra.Command, args []string) error {
		filtered := all || given != deadFilter{}
		if filtered == (len(args) > 0) {
			return errors.New("specify sequences, a filter, or --all")
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		filter, err := given.read()
		if err := errors.Join(err, within("--rate", what.Rate, 10_000), within("--max", what.Max, 10_000)); err != nil {
			return err
		}
		what.DeadFilter = filter
		requests := []client.BulkRequest{what}
		for i, arg := range args {
			one := what
			if one.Sequence, err = parseSequence(arg); err != nil {
				return err
			}
			requests = append(requests[:i], one)
		}
		c, err := s.operatorClient(*operator)
		if err != nil {
			return err
		}
		failed, total := 0, 0
		for _, one := range requests {
			result, err := do(c, cmd.Context(), one)
			if err != nil {
				return err
			}
			if err := s.writeBulkResult(cmd.OutOrStdout(), result, did); err != nil {
				return err
			}
			if result.More {
				note(cmd.ErrOrStderr(), "There are more; raise --max.")
			}
			failed += result.Failed
			total += len(result.Results)
		}
		return someFailed(failed, total)
	}
	given.flags(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&all, "all", false, "select all dead letters")
	flags.BoolVar(&what.DryRun, "dry-run", false, "only list the dead letters")
	flags.IntVar(&what.Rate, "rate", 100, "maximum dead letters per second, up to 10000")
	flags.IntVar(&what.Max, "max", 1000, "maximum number of dead letters, up to 10000")
	return cmd
}

func (s *settings) writeBulkResult(w io.Writer, result client.BulkResult, did string) error {
	for _, one := range result.Results {
		if s.json {
			if err := writeJSON(w, one); err != nil {
				return err
			}
			continue
		}
		outcome := ""
		switch {
		case one.Error != "":
			outcome = "\n    FAILED: " + shown(one.Error)
		case one.Note != "":
			outcome = "\n    skipped: " + one.Note
		case one.Done:
			outcome = "\n    " + did
		}
		if err := s.writeDeadLetter(w, one.DeadLetter, outcome); err != nil {
			return err
		}
	}
	return nil
}
