// Package rebuild is the command that makes the feed's read table anew.
package rebuild

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/engine"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/assay/endpoints"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// Config says where, with the variables of the services.
type Config struct {
	AWS      engine.AWS
	DynamoDB table.Config
	Feed     feed.Config
}

// Command is `assay feed`, with `assay feed rebuild` below it.
func Command() *cobra.Command {
	parent := &cobra.Command{Use: "feed", Short: "Look after the feed"}
	parent.AddCommand(&cobra.Command{
		Use:   "rebuild",
		Short: "Make the feed's read table anew from its primary table",
		Long: `Make the feed's read table anew from its primary table.

The services may run meanwhile. It works on the DynamoDB of a running "assay
serve", or, where the variables of the services name engines, on theirs:
ASSAY_DYNAMODB_ENDPOINT, ASSAY_FEED_TABLE, ASSAY_FEED_DASHBOARD_TABLE and AWS's
own. It reads all of both tables.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := cmd.Flags().GetString("data")
			if err != nil {
				return err
			}
			asJSON, err := cmd.Flags().GetBool("json")
			if err != nil {
				return err
			}
			environ, err := endpoints.Environ(dir)
			if err != nil {
				return err
			}
			cfg, err := config.Load[Config](environ)
			if err != nil {
				return err
			}
			engines, err := engine.Stores(cmd.Context(), engine.Config{AWS: cfg.AWS, DynamoDB: cfg.DynamoDB})
			if err != nil {
				return err
			}
			defer engines.Close()
			done, err := dashboard.Rebuild(cmd.Context(), feed.NewStore(engines.DB, cfg.Feed), dashboard.New(engines.DB, cfg.Feed))
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(done)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d items shown, %d wrong rows removed, %d unreadable items passed over, %d wrong counters corrected\n",
				done.Items, done.Removed, done.Skipped, done.Recounted)
			return err
		},
	})
	return parent
}
