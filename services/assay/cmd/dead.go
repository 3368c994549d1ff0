package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/bus/attempt"
	"github.com/assay-project/assay/services/assay/client"
)

func newDead(s *settings) *cobra.Command {
	letters := item[client.DeadLetter]{
		settings: s, connect: s.operatorClient, none: "No dead letters.",
		heads: []any{"SEQUENCE", "GIVEN UP", "AREA", "CLASS", "CONSUMER", "OWNER", "ITEM", "NAME", "ATTEMPTS", "REASON"},
		cells: func(l client.DeadLetter) []any {
			return []any{l.Sequence, dateTime(l.Last), l.Area, l.Class, l.Consumer, cmp.Or(l.Owner, "-"), cmp.Or(l.Item, "-"), cmp.Or(l.Name, "-"), attempts(l), l.Reason + origin(l)}
		},
	}
	return s.operators(group(&cobra.Command{
		Use:   "dead",
		Short: "List, show, replay and drop dead letters",
		Long: `List, show, replay and drop dead letters: messages that no consumer could
process because of a fault, each with its class, the reason and the number of
attempts. Content that cannot be processed, such as a damaged file, is an outcome
for its owner and has no dead letter.

Classes: crashed, timeout, unavailable, rejected, configuration, missing, event, other.
OWNER is the digest of the owner's id, as in logs.

The commands call the server's operator address: --operator, else ASSAY_OPERATOR, else
that of a running "assay serve".`,
	},
		newDeadList(letters), newDeadShow(letters),
		newBulk(s, &cobra.Command{
			Use: "replay [SEQUENCE…]", Short: "Reprocess the items of dead letters",
			Long: `Reprocess the items of dead letters, selected by sequence or by a filter. A FAILED
file is analyzed again, and its dead letter disappears. Items that have since recovered
or failed again are skipped, and their dead letters remain until they are dropped. An
item that fails again because of a fault has a new dead letter, which names the
replayed one.`,
			Example: `  assay dead replay 17
  assay dead replay --class unavailable --from 6h --dry-run`,
		}, "replayed", (*client.Client).ReplayDead),
		newBulk(s, &cobra.Command{
			Use: "drop [SEQUENCE…]", Short: "Delete dead letters",
			Example: `  assay dead drop 17
  assay dead drop --to 720h`,
		}, "dropped", (*client.Client).DropDead)), "8087")
}

// deadFilter holds the flags that select dead letters.
type deadFilter struct{ consumer, class, reason, from, to string }

func (f *deadFilter) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.consumer, "consumer", "", "only dead letters of this consumer, such as analyzer-textfile")
	flags.StringVar(&f.class, "class", "", "only dead letters of this class, such as unavailable")
	flags.StringVar(&f.reason, "reason", "", "only dead letters whose reason contains this text")
	flags.StringVar(&f.from, "from", "", "only dead letters since this time (RFC 3339), or within this duration before now (6h)")
	flags.StringVar(&f.to, "to", "", "only dead letters before this time (RFC 3339), or older than this duration (6h)")
	oneOfFlag(cmd, "class", deadClasses()...)
}

func (f *deadFilter) read() (client.DeadFilter, error) {
	from, err := moment("--from", f.from)
	to, failed := moment("--to", f.to)
	return client.DeadFilter{Consumer: f.consumer, Class: f.class, Reason: f.reason, From: from, To: to}, errors.Join(err, failed, oneOf("--class", f.class, deadClasses()))
}

func newDeadList(letters item[client.DeadLetter]) *cobra.Command {
	var given deadFilter
	var filter client.DeadFilter
	var limit int
	cmd := &cobra.Command{Use: "list", Short: "List dead letters, oldest first"}
	given.flags(cmd)
	cmd.Flags().IntVar(&limit, "limit", 100, "maximum number of dead letters to list, up to 1000")
	cmd.PreRunE = func(*cobra.Command, []string) (err error) {
		filter, err = given.read()
		return errors.Join(err, within("--limit", limit, 1000))
	}
	return letters.newPage(cmd, "raise --limit or use a filter",
		func(ctx context.Context, c *client.Client) ([]client.DeadLetter, bool, error) {
			return c.DeadLetters(ctx, filter, 0, limit)
		})
}

// origin names the dead letter whose replay failed with another one.
func origin(l client.DeadLetter) string {
	if l.ReplayOf == 0 {
		return ""
	}
	return fmt.Sprintf(" (after a replay of %d)", l.ReplayOf)
}

// attempts describes the number of processing attempts of a message. It is 0 in dead letters that a sweep restored.
func attempts(l client.DeadLetter) string {
	if l.Attempts == 0 {
		return "restored"
	}
	return attempt.Count(l.Attempts)
}

func newDeadShow(letters item[client.DeadLetter]) *cobra.Command {
	cmd := letters.newShow(&cobra.Command{
		Use: "show SEQUENCE", Short: "Show a dead letter with its payload, as JSON",
		PreRunE: func(_ *cobra.Command, args []string) error {
			_, err := parseSequence(args[0])
			return err
		},
	}, func(c *client.Client, ctx context.Context, text string) (client.DeadLetter, error) {
		sequence, err := parseSequence(text)
		if err != nil {
			return client.DeadLetter{}, err
		}
		return c.DeadLetter(ctx, sequence)
	})
	cmd.ValidArgsFunction = completion(letters.connect, 1, 0, offerDead)
	return cmd
}

func parseSequence(text string) (uint64, error) {
	sequence, err := strconv.ParseUint(text, 10, 64)
	if err != nil || sequence == 0 {
		return 0, usage("%q is not the sequence of a dead letter; see: assay dead list", text)
	}
	return sequence, nil
}

// bulkCall is a call for selected dead letters.
type bulkCall func(*client.Client, context.Context, client.BulkRequest) (client.BulkResult, error)

func newBulk(s *settings, cmd *cobra.Command, did string, do bulkCall) *cobra.Command {
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
	cmd.ValidArgsFunction = completion(s.operatorClient, manyArgs, 0, offerDead)
	given.flags(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&all, "all", false, "select all dead letters")
	flags.BoolVar(&what.DryRun, "dry-run", false, "only list the dead letters")
	flags.IntVar(&what.Rate, "rate", 100, "maximum dead letters per second, up to 10000")
	flags.IntVar(&what.Max, "max", 1000, "maximum number of dead letters, up to 10000")
	var requests []client.BulkRequest
	cmd.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		what.DeadFilter, err = given.read()
		if err := errors.Join(err, within("--rate", what.Rate, 10_000), within("--max", what.Max, 10_000)); err != nil {
			return err
		}
		for _, arg := range args {
			one := what
			if one.Sequence, err = parseSequence(arg); err != nil {
				return err
			}
			requests = append(requests, one)
		}
		if len(args) == 0 {
			requests = append(requests, what)
		}
		return nil
	}
	cmd.RunE = with(s.operatorClient, func(cmd *cobra.Command, c *client.Client, _ []string) error {
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
	})
	return cmd
}

func (s *settings) writeBulkResult(w io.Writer, result client.BulkResult, did string) error {
	for _, one := range result.Results {
		outcome := ""
		switch {
		case one.Error != "":
			outcome = "\n    FAILED: " + shown(one.Error)
		case one.Note != "":
			outcome = "\n    skipped: " + one.Note
		case one.Done:
			outcome = "\n    " + did
		}
		l := one.DeadLetter
		if err := s.write(w, one, "%d  %s  %s  %s  %s  %s  %s: %s%s%s\n", l.Sequence, dateTime(l.Last), l.Class, l.Consumer,
			shown(l.Item), shown(cmp.Or(l.Name, "-")), attempts(l), shown(l.Reason), origin(l), outcome); err != nil {
			return err
		}
	}
	return nil
}
