package cmd

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/query"
)

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
