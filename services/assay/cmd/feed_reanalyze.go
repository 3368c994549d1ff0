package cmd

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newReanalyze(s *settings) *cobra.Command {
	var operator, since string
	var all, dry bool
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, err := moment("--since", since)
			if err != nil {
				return err
			}
			if all == (since != "") {
				return &Usage{Err: errors.New("specify --since or --all")}
			}
			c, err := s.operatorClient(operator)
			if err != nil {
				return err
			}
			request := client.Reanalysis{Since: from, DryRun: dry}
			var sum client.ReanalysisPage
			for {
				page, err := c.Reanalyze(cmd.Context(), request)
				if err != nil {
					return fmt.Errorf("after %d items: %w", items(sum), err)
				}
				add(&sum, page)
				if request.Cursor = page.NextCursor; request.Cursor == "" {
					return s.writeReanalysis(cmd.OutOrStdout(), sum, dry)
				}
			}
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&operator, "operator", "", "operator address of the server, such as http://127.0.0.1:8087 [ASSAY_OPERATOR]")
	flags.StringVar(&since, "since", "", "only items ingested since this time (RFC 3339), or within this duration before now (6h)")
	flags.BoolVar(&all, "all", false, "reanalyze items of any age")
	flags.BoolVar(&dry, "dry-run", false, "only count the items")
	return cmd
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

func (s *settings) writeReanalysis(w io.Writer, sum client.ReanalysisPage, dry bool) error {
	if s.json {
		return writeJSON(w, sum)
	}
	status := "being reanalyzed"
	if dry {
		status = "to be reanalyzed"
	}
	var out strings.Builder
	out.WriteString("MODEL\tITEMS\tSTATUS\n")
	for _, outdated := range sum.Outdated {
		fmt.Fprintf(&out, "%s\t%d\t%s by %s\n", outdated.ModelVersion, outdated.Items, status, sum.ModelVersion)
	}
	fmt.Fprintf(&out, "%s\t%d\tcurrent\n", sum.ModelVersion, sum.Current)
	if sum.Waiting > 0 {
		fmt.Fprintf(&out, "none\t%d\twaiting for analysis\n", sum.Waiting)
	}
	if sum.Unreadable > 0 {
		fmt.Fprintf(&out, "none\t%d\tunreadable\n", sum.Unreadable)
	}
	return writeTable(w, out.String())
}
