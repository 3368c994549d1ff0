package cmd

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/services/assay/gateway"
)

func newGateway() *cobra.Command {
	return &cobra.Command{
		Use:   "gateway",
		Short: "Serve separate ingest and query services at one address",
		Long: `Serve separate ingest and query services at one address: their calls, the web app
and the documentation. It listens on ASSAY_ADDR (127.0.0.1:8080) and forwards to
ASSAY_INGEST_URL and ASSAY_QUERY_URL. On ASSAY_OPERATOR_ADDR (127.0.0.1:8087) it
serves the pages for operators, and forwards their calls to ASSAY_INGEST_OPERATOR_URL,
ASSAY_QUERY_OPERATOR_URL and ASSAY_ANALYZER_OPERATOR_URL. It needs no credentials.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load[gateway.Config](os.Environ())
			if err != nil {
				return err
			}
			return gateway.Run(cmd.Context(), cfg)
		},
	}
}
