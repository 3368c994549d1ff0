//go:build !noengines

package cmd

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/services/assay/serve"
)

// newServe returns `assay serve`. Its flags override the environment variables.
func newServe(s *settings) *cobra.Command {
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
	serveFlags(cmd.Flags(), &serve.Config{})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := config.Load[serve.Config](os.Environ())
		if err != nil {
			return err
		}
		if err := apply(cmd.Flags(), serveFlags, &cfg); err != nil {
			return err
		}
		// --data is a persistent flag because every command can read the directory.
		if cmd.Flags().Changed("data") {
			cfg.DataDir = s.data
		}
		if cfg.Owner, err = s.findOwner(); err != nil {
			note(cmd.ErrOrStderr(), "Browsers on this machine do not show the files of the command line by default: %v", err)
		}
		return serve.Run(cmd.Context(), cfg, cmd.OutOrStdout())
	}
	return cmd
}

// serveFlags adds the flags of the settings of `assay serve`.
func serveFlags(flags *pflag.FlagSet, c *serve.Config) {
	flags.StringVar(&c.Addr, "addr", c.Addr, "address of the HTTP API; port 0 picks a free port (default 127.0.0.1:8080)")
	flags.StringVar(&c.OperatorAddr, "operator-addr", c.OperatorAddr,
		"address of the operator API (default a free loopback port)")
	flags.StringVar(&c.NATSAddr, "nats-addr", c.NATSAddr,
		"address of the embedded NATS server (default a free loopback port)")
	flags.StringVar(&c.S3Addr, "s3-addr", c.S3Addr, "address of the embedded S3 server (default a free loopback port)")
	flags.StringVar(&c.DynamoDBAddr, "dynamodb-addr", c.DynamoDBAddr,
		"address of the embedded DynamoDB engine (default a free loopback port)")
	flags.StringVar(&c.Exposure.Auth, "auth", c.Exposure.Auth,
		"none, or token: calls require an API key, a token of the identity provider or a session (default none)")
	flags.BoolVar(&c.AcceptEmpty, "accept-empty", c.AcceptEmpty,
		"start although parts of the data folder are absent, empty or of another folder")
}

func newVerify(s *settings) *cobra.Command {
	var repair bool
	var from string
	cmd := &cobra.Command{
		Use:   "verify",
		Short: `Check the data folder of a stopped "assay serve", or its backups`,
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

With --from it reads all backups of a repository instead, and names each damaged file.

Exit status: 0 if no problem was found, 1 otherwise.`,
		Example: `  assay verify --data /srv/assay
  assay verify --from /var/backups/assay`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&from, "from", "", "check this repository of backups: a folder, or s3://BUCKET/PREFIX")
	cmd.Flags().BoolVar(&repair, "repair", false, "truncate a damaged journal and rewrite copies of metadata")
	cmd.MarkFlagsMutuallyExclusive("from", "repair")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if from == "" {
			return serve.Verify(cmd.Context(), s.data, repair, cmd.OutOrStdout())
		}
		location, err := repositoryOf(from)
		if err != nil {
			return err
		}
		return serve.VerifyBackups(cmd.Context(), location, cmd.OutOrStdout())
	}
	return cmd
}

func newRestore(s *settings) *cobra.Command {
	var from, id string
	cmd := &cobra.Command{
		Use:   "restore",
		Short: "Restore a backup to an empty data folder",
		Long: `Restore a backup to an empty data folder, for "assay serve". Each restored byte is
verified. The folder has the identity of the one that was backed up: do not mix the
parts of both, and stop one server before the other starts, unless they are to continue
separately. The search index is built at the first start.`,
		Example: `  assay restore --from /var/backups/assay --data /srv/assay
  assay restore --from 's3://backups/assay?region=eu-north-1' --backup 20261129T031500Z-4mzq2k --data /srv/assay`,
		Args:    knownCommand,
		PreRunE: func(*cobra.Command, []string) error { return repositoryGiven(from) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			location, err := repositoryOf(from)
			if err != nil {
				return err
			}
			return serve.Restore(cmd.Context(), location, id, s.data, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&from, "from", os.Getenv("ASSAY_BACKUP_TO"), "repository: a folder, or s3://BUCKET/PREFIX [ASSAY_BACKUP_TO]")
	cmd.Flags().StringVar(&id, "backup", "", "id of the backup (default the newest)")
	cmd.AddCommand(newRestoreTables(s))
	return cmd
}
