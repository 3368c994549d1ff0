package cmd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

// pageSize is the number of files per request. The server accepts up to 1000.
const pageSize = 200

func newList(s *settings) *cobra.Command {
	var status string
	var limit int
	var all bool
	statuses := []string{client.Pending, client.InProgress, client.Completed, client.Failed}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List your files, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			status = strings.ToUpper(status)
			if status != "" && !slices.Contains(statuses, status) {
				return &Usage{Err: fmt.Errorf("--status %s: must be one of %s", status, strings.Join(statuses, ", "))}
			}
			if limit < 1 {
				return &Usage{Err: fmt.Errorf("--limit %d: must be 1 or more", limit)}
			}
			c, err := s.client()
			if err != nil {
				return err
			}
			page := pageSize
			if !all {
				page = min(page, limit)
			}
			shownFiles := 0
			for file, err := range c.List(cmd.Context(), client.Listing{Status: status, Limit: page}) {
				if err != nil {
					return err
				}
				if !all && shownFiles == limit {
					note(cmd.ErrOrStderr(), "There are more; use --all or raise --limit.")
					return nil
				}
				if shownFiles++; shownFiles == 1 {
					if err := s.writeHeader(cmd.OutOrStdout(), "%-19s  %-36s  %-11s  %s", "CREATED", "ID", "STATUS", "FILE"); err != nil {
						return err
					}
				}
				if s.json {
					err = writeJSON(cmd.OutOrStdout(), file)
				} else {
					_, err = fmt.Fprint(cmd.OutOrStdout(), file.CreatedAt.Local().Format(time.DateTime), "  ")
					if err == nil {
						err = writeLine(cmd.OutOrStdout(), file)
					}
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&status, "status", "", "only files with this status: "+strings.Join(statuses, ", "))
	cmd.Flags().IntVar(&limit, "limit", 20, "maximum number of files to list")
	cmd.Flags().BoolVar(&all, "all", false, "list all files")
	cmd.MarkFlagsMutuallyExclusive("limit", "all")
	complete := cobra.FixedCompletions(statuses, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("status", complete); err != nil {
		panic(err) // the flag does not exist
	}
	return cmd
}
