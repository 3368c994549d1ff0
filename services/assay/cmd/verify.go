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
		Short: `Check the data folder of a stopped "assay serve"`,
		Long: `Check the data folder of "assay serve": the database and its journal, all objects,
and the streams of NATS, and whether they belong together. The folder must not be in
use.

Like "assay serve", it first replays the journal after a crash, finishes interrupted
changes to objects, and restores metadata that was lost when the folder was copied
without extended attributes.

With --repair it truncates a damaged journal before the first damaged commit, which
discards that commit and all later ones, rewrites the copies of metadata, and adds
missing checksums of objects. It keeps a copy of the journal. Restore other damaged
data from a backup.

Exit status: 0 if no problem was found, 1 otherwise.`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "truncate a damaged journal and rewrite copies of metadata")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return serve.Verify(cmd.Context(), s.data, repair, cmd.OutOrStdout())
	}
	return cmd
}
