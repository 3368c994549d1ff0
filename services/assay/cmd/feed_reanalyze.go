package cmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newReanalyze(s *settings) *cobra.Command {
	var since string
	var all bool
	var request client.Reanalysis
	cmd := &cobra.Command{
		Use:   "reanalyze",
		Short: "Reanalyze items that an older model analyzed",
		Long: `Reanalyze items that an older model analyzed, with the current model of the server.

An item keeps its result, and its place in lists and statistics, until the new result
replaces it. Items that the current model analyzed are skipped, so repeat the command
after a failure or Ctrl-C. Upgrade all analyzers first. With --dry-run, the command
counts the remaining items.

The command calls the server's operator address: --operator, else ASSAY_OPERATOR, else
that of a running "assay serve".`,
		Example: `  assay feed reanalyze --since 24h --dry-run
  assay feed reanalyze --since 2026-11-20T00:00:00Z`,
		Args: cobra.NoArgs,
	}
	flags := s.operators(cmd, "8087").Flags()
	flags.StringVar(&since, "since", "",
		"only items ingested since this time (RFC 3339), or within this duration before now (6h)")
	flags.BoolVar(&all, "all", false, "reanalyze items of any age")
	flags.BoolVar(&request.DryRun, "dry-run", false, "only count the items")
	cmd.PreRunE = func(*cobra.Command, []string) (err error) {
		if request.Since, err = moment("--since", since); err == nil && all == (since != "") {
			err = usage("specify --since or --all")
		}
		return err
	}
	totals := item[client.ReanalysisPage]{
		settings: s, connect: s.operatorClient,
		fields: func(t *columns, sum client.ReanalysisPage) { reanalysisFields(t, sum, request.DryRun) },
	}
	return totals.newSet(cmd, func(ctx context.Context, c *client.Client, _ []string) (client.ReanalysisPage, error) {
		var sum client.ReanalysisPage
		for {
			page, err := c.Reanalyze(ctx, request)
			if err != nil {
				return sum, fmt.Errorf("after %d items: %w", items(sum), err)
			}
			add(&sum, page)
			if request.Cursor = page.NextCursor; request.Cursor == "" {
				return sum, nil
			}
		}
	})
}

// add adds the counts of a page to the totals.
func add(sum *client.ReanalysisPage, page client.ReanalysisPage) {
	sum.ModelVersion = page.ModelVersion
	sum.Current += page.Current
	sum.Waiting += page.Waiting
	sum.Unreadable += page.Unreadable
	for _, more := range page.Outdated {
		i := slices.IndexFunc(sum.Outdated, func(o client.OutdatedItems) bool { return o.ModelVersion == more.ModelVersion })
		if i < 0 {
			sum.Outdated = append(sum.Outdated, more)
			continue
		}
		sum.Outdated[i].Items += more.Items
	}
}

// items returns the number of items on all pages.
func items(sum client.ReanalysisPage) int {
	n := sum.Current + sum.Waiting
	for _, outdated := range sum.Outdated {
		n += outdated.Items
	}
	return n
}

func reanalysisFields(t *columns, sum client.ReanalysisPage, dry bool) {
	status := "being reanalyzed by " + sum.ModelVersion
	if dry {
		status = "to be reanalyzed by " + sum.ModelVersion
	}
	t.row("MODEL", "ITEMS", "STATUS")
	for _, outdated := range sum.Outdated {
		t.row(outdated.ModelVersion, outdated.Items, status)
	}
	t.row(sum.ModelVersion, sum.Current, "current")
	if sum.Waiting > 0 {
		t.row("none", sum.Waiting, "waiting for analysis")
	}
	if sum.Unreadable > 0 {
		t.row("none", sum.Unreadable, "unreadable")
	}
}
