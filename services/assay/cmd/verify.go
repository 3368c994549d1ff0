//go:build !noengines

package cmd

import (
	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/serve"
)

func newVerify(s *settings) *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check a stopped data folder of assay serve",
		Long: `Check everything in the data folder of "assay serve": the database and its
journal, all objects, and the streams of NATS. It refuses a folder that is in use.

As a start does, it first replays the journal that a crash has left, and restores
metadata that a copy without extended attributes has dropped.

With --repair it cuts a damaged journal before the first damaged commit, which
drops that commit and all later ones and keeps a copy of the journal, and it
rewrites copies of metadata. Restore anything else from a backup.

Exit status: 0 when nothing is wrong, 1 when something is.`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "cut a damaged journal, and rewrite copies of metadata")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return serve.Verify(cmd.Context(), s.data, repair, cmd.OutOrStdout())
	}
	return cmd
}
