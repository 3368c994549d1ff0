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
		Short: "Create the tables, buckets and streams",
		Long: `Create the tables, buckets and streams that ingest, analyzer and query expect.

The services' variables name the backends: ASSAY_NATS_URL,
ASSAY_DYNAMODB_ENDPOINT, ASSAY_S3_ENDPOINT, ASSAY_S3_BUCKET, ASSAY_ENV and those of AWS.
Setup is idempotent. Run it after each upgrade, once the services of the previous
version have stopped. "assay serve" does not need it.`,
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
