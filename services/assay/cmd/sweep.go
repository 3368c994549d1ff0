package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/analyzer/sweeper"
	"github.com/assay-project/assay/services/assay/endpoints"
)

// errLeft means that some problems could not be repaired.
var errLeft = errors.New("some problems could not be repaired")

func newSweep(s *settings) *cobra.Command {
	var options sweeper.Options
	var since string
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Find and repair stuck items",
		Long: `Compare the tables, buckets and streams, and repair stuck items.
Analyzers sweep on a timer (ASSAY_SWEEP_EVERY); this command sweeps once, at
ASSAY_SWEEP_RATE items per second, and prints its findings:

  unnotified_upload    an uploaded object without a notification
  lost_message         an item whose work message is lost
  mismatched_object    an object whose length differs from the reservation
  unused_reservation   a reservation without an upload
  orphan_object        an object that belongs to no item
  abandoned_upload     an upload in parts that was not completed in time; it is aborted
  inconsistent_copies  rows of one item that differ
  duplicate_rows       several rows of one feed item
  overdue_job          a photo job not uploaded or finished in time; it becomes FAILED
  overdue_step         a step of a library file unfinished for hours; it is republished, and eventually fails
  lost_workflow        a library file in progress whose step state is lost; it becomes Failed
  outdated_workflow    steps of a library file that finished more than 7 days ago, or of an earlier run
  orphan_node          a library node whose folder was erased; it is erased
  outdated_trash       a library node in the trash for longer than ASSAY_TRASH_KEEP; it is erased
  outdated_object      an object of a photo job or library file that is no longer needed
  unreadable_item      an unreadable row; it is not repaired
  suspicious_orphan    so many orphans of a kind that none of them is deleted

Orphans are objects without an item, library nodes without a file or a folder, workflows
without a file, and entries in lists without a file. If more than 1 % of the things of a
kind, and more than 10 or half of them, are orphans, the tables and buckets probably do
not belong together. No sweep then deletes orphans of this kind until --allow-orphans
is set, or until these orphans belong to items again. --dry-run lists them.

It uses the backends of a running "assay serve", or those that the variables of the
services name: ASSAY_NATS_URL, ASSAY_DYNAMODB_ENDPOINT,
ASSAY_S3_ENDPOINT, ASSAY_S3_BUCKET, ASSAY_LEASE and those of AWS.

After a loss of all JetStream data, --outcomes-since also republishes the outcomes of
items that finished since then (unnotified_outcome) with the same event ids, and
restores the dead letters of feed items (lost_dead_letter) for "assay dead replay".
Text files do not need dead letters: "assay retry" retries them.`,
		Example: `  assay sweep --dry-run
  assay sweep --outcomes-since 2026-11-20T12:00:00Z
  assay sweep --outcomes-since 6h`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&options.DryRun, "dry-run", false, "report problems without repairing them")
	cmd.Flags().BoolVar(&options.AllowOrphans, "allow-orphans", false, "delete orphans even if there are suspiciously many")
	cmd.Flags().StringVar(&since, "outcomes-since", "", "also republish outcomes since this time (RFC 3339), or within this duration before now (6h)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var err error
		if options.OutcomesSince, err = moment("--outcomes-since", since); err != nil {
			return err
		}
		environ, err := endpoints.Environ(s.data)
		if err != nil {
			return err
		}
		cfg, err := config.Load[analyzer.Config](environ)
		if err != nil {
			return err
		}
		out := cmd.OutOrStdout()
		var writeErr error
		options.Tell = func(f sweeper.Finding) {
			writeErr = errors.Join(writeErr, s.write(out, f, "%s\n", findingLine(f, options.DryRun)))
		}
		cfg.Log.LogLevel = cmp.Or(os.Getenv("ASSAY_LOG_LEVEL"), "error") // findings are printed instead
		log, err := obs.NewLogger(cfg.Log, cmd.ErrOrStderr(), "sweep")
		if err != nil {
			return config.Unusable(err)
		}
		report, err := analyzer.Sweep(cmd.Context(), cfg, options, log)
		writeErr = errors.Join(writeErr, s.write(out, report, "%d read, %d found, %d repaired, %d failed, in %s\n",
			report.Read, report.Found, report.Repaired, report.Failed, report.Took.Round(time.Millisecond)))
		if err == nil && report.Failed > 0 {
			err = errLeft
		}
		return errors.Join(err, writeErr)
	}
	return cmd
}

func findingLine(f sweeper.Finding, dryRun bool) string {
	state := "repaired"
	switch {
	case f.Error != "":
		state = "NOT REPAIRED: " + f.Error
	case dryRun:
		state = "found"
	}
	return fmt.Sprintf("%s  %s  %s  %s", f.Area, f.ID, f.Found, state)
}
