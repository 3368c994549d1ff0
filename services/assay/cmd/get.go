package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newGet(s *settings) *cobra.Command {
	var wait bool
	cmd := &cobra.Command{
		Use:   "get ID",
		Short: "Show a file and its result",
		Long: `Show a file and its result.

With --wait, get waits until the file is COMPLETED or FAILED. If it is FAILED, the exit
status is 1.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
			var file client.File
			if wait {
				file, err = c.Wait(cmd.Context(), args[0])
			} else {
				file, err = c.Get(cmd.Context(), args[0], 0)
			}
			if err != nil {
				return err
			}
			if s.json {
				err = writeJSON(cmd.OutOrStdout(), file)
			} else {
				err = writeFile(cmd.OutOrStdout(), file)
			}
			if err == nil && wait && file.Status == client.Failed {
				err = fmt.Errorf("the analysis of %s failed", file.FileID)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for the result")
	return cmd
}
