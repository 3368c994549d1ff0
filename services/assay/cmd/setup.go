package cmd

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/services/assay/setup"
)

func newSetup() *cobra.Command {
	return &cobra.Command{
		Use:   "setup",
		Short: "Create the tables, bucket and streams of an installation",
		Long: `Create the tables, bucket and streams that ingest, analyzer and query expect.

The backends are named by the variables of the services: ASSAY_NATS_URL,
ASSAY_DYNAMODB_ENDPOINT, ASSAY_S3_ENDPOINT, ASSAY_S3_BUCKET and AWS's own.
It can be run any number of times, and is after each update, once the services
of the version before have ended. "assay serve" needs none of this.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load[setup.Config](os.Environ())
			if err != nil {
				return err
			}
			return setup.Run(cmd.Context(), cfg)
		},
	}
}
