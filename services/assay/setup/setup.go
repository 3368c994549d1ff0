// Package setup creates what the services expect to find: tables, bucket and
// streams. It can be run any number of times.
package setup

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/engine"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/textfile"
)

// Config names the backends and the tables, with the variables of the services.
type Config struct {
	Engines  engine.Config
	TextFile textfile.Config
	Feed     feed.Config
	Platform platform.Config

	BucketPolicy string `env:"ASSAY_S3_BUCKET_POLICY" doc:"a file with the policy to set on the bucket, for an S3 server that has users and no policies of theirs; none by default"`
}

// Areas describes every area of the product. What must cover all of them is derived
// from it.
func (c Config) Areas() []area.Area {
	return []area.Area{textfile.Area(c.TextFile), feed.Area(c.Feed)}
}

// Described is Areas with the table that belongs to none.
func (c Config) Described() []area.Area { return append(c.Areas(), platform.Described(c.Platform)) }

// Run creates what is missing. It does not change a table or bucket that exists, and
// brings the streams to their declared settings.
func Run(ctx context.Context, cfg Config) error {
	// Connecting to the bus creates the streams.
	engines, err := engine.Open(ctx, cfg.Engines, "setup", zerolog.Nop(), obs.NewRegistry())
	if err != nil {
		return err
	}
	defer engines.Close()
	var tables []table.Schema
	for _, a := range cfg.Described() {
		tables = append(tables, a.Tables...)
	}
	return errors.Join(
		table.EnsureAll(ctx, engines.DB, tables),
		ensureBucket(ctx, engines.Bucket, cfg.BucketPolicy),
	)
}

func ensureBucket(ctx context.Context, bucket *blob.Store, policyFile string) error {
	if err := bucket.Ensure(ctx); err != nil || policyFile == "" {
		return err
	}
	policy, err := os.ReadFile(policyFile)
	if err != nil {
		return fmt.Errorf("ASSAY_S3_BUCKET_POLICY: %w", err)
	}
	return bucket.PutPolicy(ctx, string(policy))
}

// Command is `assay setup`.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:   "setup",
		Short: "Create the tables, bucket and streams of an installation",
		Long: `Create the tables, bucket and streams that ingest, analyzer and query expect.

The engines are named by the variables of the services: ASSAY_NATS_URL,
ASSAY_DYNAMODB_ENDPOINT, ASSAY_S3_ENDPOINT, ASSAY_S3_BUCKET and AWS's own.
It can be run any number of times, and is after each update, once the services
of the version before have ended. "assay serve" needs none of this.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load[Config](os.Environ())
			if err != nil {
				return err
			}
			return Run(cmd.Context(), cfg)
		},
	}
}
