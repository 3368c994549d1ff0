package cmd

import (
	"io"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/query"
)

func newVersion(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			line := versionLine{process.Version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			return s.write(cmd.OutOrStdout(), line, "assay %s, built with %s for %s\n", line.Version, line.Go, line.Platform)
		},
	}
}

type versionLine struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newLicenses() *cobra.Command {
	return &cobra.Command{
		Use:   "licenses",
		Short: "Show the licenses of Assay and its embedded data",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			notices := slices.Sorted(slices.Values(slices.Concat(analyzer.Notices(), query.Notices()))) // both contain RDKit
			_, err := io.WriteString(cmd.OutOrStdout(), process.Licenses(slices.Compact(notices)...))
			return err
		},
	}
}
