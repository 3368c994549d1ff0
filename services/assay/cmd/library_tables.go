package cmd

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

const recordHelp = "zero-based index of the record in the file"

func newLibraryTables(s *settings) *cobra.Command {
	var record int
	cmd := &cobra.Command{
		Use:     "tables PATH",
		Short:   "List the tables of a record: loops of a crystal or curves of a spectrum",
		Example: "  assay library tables /quartz.cif",
	}
	cmd.Flags().IntVar(&record, "record", 0, recordHelp)
	return s.newNode(cmd, func(cmd *cobra.Command, c *client.Client, n client.Node, _ []string) error {
		tables, err := c.RecordTables(cmd.Context(), n.ID, record)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if s.json {
				err = writeJSON(cmd.OutOrStdout(), t)
			} else {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%4d  %7d rows  %s  %s\n", t.Index, t.Rows, shown(t.Name), shown(strings.Join(t.Columns, " ")))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func newLibraryTable(s *settings) *cobra.Command {
	var record, table int
	cmd := &cobra.Command{
		Use:   "table PATH",
		Short: "Write a table of a record as CSV",
		Long: "Write a table of a record as CSV with a header: a loop of a crystal, or the points of a curve\n" +
			"of a spectrum. See assay library tables for the list.",
		Example: "  assay library table /caffeine.jdx -o points.csv\n  assay library table /quartz.cif --table 2",
	}
	cmd.Flags().IntVar(&record, "record", 0, recordHelp)
	cmd.Flags().IntVar(&table, "table", 0, "zero-based index of the table")
	return s.newDownload(cmd, func(c *client.Client, ctx context.Context, path string) (io.ReadCloser, error) {
		n, err := find(ctx, c, path)
		if err != nil {
			return nil, err
		}
		return c.RecordTable(ctx, n.ID, record, table)
	})
}
