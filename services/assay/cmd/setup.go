package cmd

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/identity"
	"github.com/assay-project/assay/services/assay/setup"
)

func newSetup() *cobra.Command {
	var first bool
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Create the tables, buckets and streams",
		Long: `Create the tables, buckets and streams that ingest, analyzer and query expect.

The variables of the services name the backends: ASSAY_NATS_URL,
ASSAY_DYNAMODB_ENDPOINT, ASSAY_S3_ENDPOINT, ASSAY_S3_BUCKET, ASSAY_ENV and those of AWS.
Setup is idempotent. Run it after each upgrade, once the services of the previous
version have stopped. "assay serve" does not require it.

With --operator-key it also creates an API key for the first operator and prints it,
unless a key exists. Operators create further keys with "assay keys".`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load[setup.Config](os.Environ())
			if err != nil {
				return err
			}
			if err := setup.Run(cmd.Context(), cfg); err != nil || !first {
				return err
			}
			token, err := setup.FirstKey(cmd.Context(), cfg)
			if errors.Is(err, identity.ErrKeys) {
				note(cmd.ErrOrStderr(), "%v: no key was created", err)
				return nil
			}
			if err == nil {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), token)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&first, "operator-key", false, "create the first operator's API key and print it")
	return cmd
}
