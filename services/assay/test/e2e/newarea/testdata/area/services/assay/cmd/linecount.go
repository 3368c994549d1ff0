package cmd

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newLineCount(s *settings) *cobra.Command {
	counts := item[client.LineCount]{
		settings: s, connect: s.client, noun: "line count",
		heads: []any{"ID", "STATUS", "LINES", "FILE"}, layout: "%-36s  %-11s  %7v  %s",
		cells:   func(l client.LineCount) []any { return []any{l.ID, l.Status, l.Lines, shown(l.FileName)} },
		created: func(l client.LineCount) time.Time { return l.CreatedAt },
		list:    (*client.Client).ListLineCounts,
		perPage: 200,
		get:     (*client.Client).GetLineCount,
		wait:    (*client.Client).WaitLineCount,
		failed: func(l client.LineCount) error {
			if l.Status == client.Failed {
				return fmt.Errorf("counting the lines of %s failed", l.ID)
			}
			return nil
		},
	}
	return group(&cobra.Command{Use: "linecount", Short: "Show the numbers of lines of texts"},
		counts.newList(&cobra.Command{Use: "list", Short: "List your line counts, newest first"}),
		counts.newGet(&cobra.Command{Use: "get ID", Short: "Show a line count", Long: "Show a line count."}))
}
