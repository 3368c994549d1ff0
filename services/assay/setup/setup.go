// Package setup creates what the services require: tables, bucket and streams. It is idempotent.
package setup

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/ingest/notice"
)

// Config names the backends and the tables, with the variables of the services.
type Config struct {
	Backends backend.Config
	TextFile textfile.Config
	Feed     feed.Config
	Platform platform.Config

	BucketPolicy string `env:"ASSAY_S3_BUCKET_POLICY" doc:"a file with a bucket policy to set, for an S3 server with several users; none by default"`
}

// Areas describes every area of the product. Everything that covers all areas is derived from it.
func (c Config) Areas() []area.Area {
	return []area.Area{textfile.Area(c.TextFile), feed.Area(c.Feed)}
}

// Storage describes where the areas and Assay itself store data.
func (c Config) Storage(areas []area.Area) []area.Storage {
	var all []area.Storage
	for _, a := range areas {
		all = append(all, a.Storage)
	}
	return append(all, platform.Storage(c.Platform))
}

// Run creates what is missing for the areas of the product and more. It does not change a
// table or bucket that exists, and brings the streams to their declared settings.
func Run(ctx context.Context, cfg Config, more ...area.Area) error {
	areas := append(cfg.Areas(), more...)
	for _, a := range areas {
		cfg.Backends.NATS.Work = append(cfg.Backends.NATS.Work, a.Work)
	}
	cfg.Backends.NATS.Queues = []bus.Queue{notice.Queue()}
	// Connecting to the bus creates the streams.
	backends, err := backend.Open(ctx, cfg.Backends, "setup", zerolog.Nop(), obs.NewRegistry())
	if err != nil {
		return err
	}
	defer backends.Close()
	var tables []table.Schema
	for _, storage := range cfg.Storage(areas) {
		tables = append(tables, storage.Tables...)
	}
	return errors.Join(
		table.EnsureAll(ctx, backends.DB, tables),
		ensureBucket(ctx, backends.Bucket, cfg.BucketPolicy),
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
