package cmd

import (
	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/assay/endpoints"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// RebuildConfig configures the backends of `assay feed rebuild`. It uses the variables of the
// services.
type RebuildConfig struct {
	AWS      backend.AWS
	DynamoDB table.Config
	Feed     feed.Config
}

func newRebuild(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "rebuild",
		Short: "Rebuild the feed's dashboard table from its primary table",
		Long: `Rebuild the feed's dashboard table from its primary table.

The services can keep running. Rebuild uses the DynamoDB of a running "assay
serve", or the one that the services' variables name: ASSAY_DYNAMODB_ENDPOINT,
ASSAY_FEED_TABLE, ASSAY_FEED_DASHBOARD_TABLE and those of AWS. It reads both
tables completely.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			environ, err := endpoints.Environ(s.data)
			if err != nil {
				return err
			}
			cfg, err := config.Load[RebuildConfig](environ)
			if err != nil {
				return err
			}
			backends, err := backend.Stores(cmd.Context(), backend.Config{AWS: cfg.AWS, DynamoDB: cfg.DynamoDB})
			if err != nil {
				return err
			}
			defer backends.Close()
			done, err := dashboard.New(backends.DB, cfg.Feed).Rebuild(cmd.Context())
			if err != nil {
				return err
			}
			return s.write(cmd.OutOrStdout(), done,
				"%d items projected, %d wrong rows removed, %d unreadable items skipped, %d wrong counters corrected\n",
				done.Items, done.Removed, done.Skipped, done.Recounted)
		},
	}
}
