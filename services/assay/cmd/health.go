package cmd

import (
	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/process"
)

// readyLine is the JSON line of a server that is ready.
type readyLine struct {
	Server string `json:"server"`
	Ready  bool   `json:"ready"`
}

func newHealth(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "health",
		Short: "Check that the server is ready",
		Long:  `Check that the server is ready, and print its address. The exit status is 0 if it is ready, otherwise 1.`,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := s.findServer()
			if err != nil {
				return err
			}
			if err := process.Ready(cmd.Context(), server); err != nil {
				return err
			}
			return s.write(cmd.OutOrStdout(), readyLine{server, true}, "ready: %s\n", server)
		},
	}
}
