//go:build !noengines

package cmd

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/services/assay/serve"
)

// newServe returns `assay serve`. Its flags override the environment variables.
func newServe(s *settings) *cobra.Command {
	var flags serve.Config
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run all services in this process",
		Long: `Run ingest, analyzer and query in this process, on embedded NATS, S3 and
DynamoDB engines, with all data in one folder.

Flags override the variables ASSAY_ADDR, ASSAY_OPERATOR_ADDR,
ASSAY_DATA_DIR, ASSAY_NATS_ADDR, ASSAY_S3_ADDR, ASSAY_DYNAMODB_ADDR, ASSAY_AUTH.
The first start with --auth token creates an operator's API key and prints it. Once the
server is ready, endpoints.json in the data folder lists the addresses and the file with
the S3 keys; "assay env" prints them for a shell.

The database, the objects and the streams in the data folder carry its identity. If one
of them is absent, empty or of another folder, the server does not start and names it.
--accept-empty starts nevertheless, for this once, and records a new identity.

After Ctrl-C, requests and work in progress finish; a second Ctrl-C terminates the
process immediately.`,
		Args: cobra.NoArgs,
	}
	set := cmd.Flags()
	set.StringVar(&flags.Addr, "addr", "", "address of the HTTP API; port 0 picks a free port (default 127.0.0.1:8080)")
	set.StringVar(&flags.OperatorAddr, "operator-addr", "", "address of the operator API (default a free loopback port)")
	set.StringVar(&flags.NATSAddr, "nats-addr", "", "address of the embedded NATS server (default a free loopback port)")
	set.StringVar(&flags.S3Addr, "s3-addr", "", "address of the embedded S3 server (default a free loopback port)")
	set.StringVar(&flags.DynamoDBAddr, "dynamodb-addr", "", "address of the embedded DynamoDB engine (default a free loopback port)")
	set.StringVar(&flags.Exposure.Auth, "auth", "", "none, or token: calls require an API key, a token of the identity provider or a session (default none)")
	set.BoolVar(&flags.AcceptEmpty, "accept-empty", false, "start although parts of the data folder are absent, empty or of another folder")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := config.Load[serve.Config](os.Environ())
		if err != nil {
			return err
		}
		for flag, variable := range map[string]struct{ given, to *string }{
			"addr":          {&flags.Addr, &cfg.Addr},
			"operator-addr": {&flags.OperatorAddr, &cfg.OperatorAddr},
			"nats-addr":     {&flags.NATSAddr, &cfg.NATSAddr},
			"s3-addr":       {&flags.S3Addr, &cfg.S3Addr},
			"dynamodb-addr": {&flags.DynamoDBAddr, &cfg.DynamoDBAddr},
			"auth":          {&flags.Exposure.Auth, &cfg.Exposure.Auth},
		} {
			if set.Changed(flag) {
				*variable.to = *variable.given
			}
		}
		cfg.AcceptEmpty = flags.AcceptEmpty
		// --data is a persistent flag because every command can read the directory.
		if cmd.Flags().Changed("data") {
			cfg.DataDir = s.data
		}
		return serve.Run(cmd.Context(), cfg, cmd.OutOrStdout())
	}
	return cmd
}
