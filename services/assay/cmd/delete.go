package cmd

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newDelete(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "delete ID…",
		Short: "Delete files with their content and results",
		Long: `Delete files with their content and results. Deleting a file that does not exist
is not an error.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
			return each(cmd, s, ids, func(id string) error {
				if err := c.Delete(cmd.Context(), id); err != nil {
					return err
				}
				if s.json {
					return writeJSON(cmd.OutOrStdout(), deletedLine{FileID: id, Deleted: true})
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s  deleted\n", id)
				return err
			})
		},
	}
}

type deletedLine struct {
	FileID  string `json:"fileId"`
	Deleted bool   `json:"deleted"`
}
