package cmd

import (
	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/process"
)

func newHealth(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "health",
		Short: "Ask the server whether it is ready",
		Long:  `Ask the server whether it is ready. The exit status is the answer, for the health checks of containers.`,
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
