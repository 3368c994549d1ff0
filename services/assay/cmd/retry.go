package cmd

import (
	"github.com/spf13/cobra"
)

func newRetry(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "retry ID…",
		Short: "Analyze FAILED files again",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
			return each(cmd, s, ids, func(id string) error {
				file, err := c.Retry(cmd.Context(), id)
				if err != nil {
					return err
				}
				if s.json {
					return writeJSON(cmd.OutOrStdout(), file)
				}
				return writeLine(cmd.OutOrStdout(), file)
			})
		},
	}
}
