package cmd

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/process"
)

func newVersion(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			line := versionLine{process.Version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			if s.json {
				return writeJSON(cmd.OutOrStdout(), line)
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "assay %s, built with %s for %s\n", line.Version, line.Go, line.Platform)
			return err
		},
	}
}

type versionLine struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}
