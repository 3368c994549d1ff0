package cmd

import (
	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/process"
)

func newHealth(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "health",
		Short: "Check that the server is ready",
		Long:  `Check that the server is ready, for use as a container health check. The exit status is 0 if it is ready, otherwise 1.`,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := s.findServer()
			if err != nil {
				return err
			}
			return process.Ready(cmd.Context(), server)
		},
	}
}
