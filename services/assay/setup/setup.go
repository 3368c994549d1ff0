// Package setup creates the tables, buckets and streams that the services require. It is idempotent.
package setup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/applicationautoscaling"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/identity"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/permissions"
	"github.com/assay-project/assay/services/ingest/notice"
)

// Config configures the backends and tables. It uses the variables of the services.
type Config struct {
	Backends backend.Config
	TextFile textfile.Config
	Feed     feed.Config
	PhotoJob photojob.Config
	Library  library.Config
	Platform platform.Config
	Tables   table.Settings

	BucketPolicy string `env:"ASSAY_S3_BUCKET_POLICY" doc:"file with the policies of all buckets, for an S3 server with several users; default: none"`
}

// Areas returns the descriptions of all areas. Tables, streams, permissions and generated documents are derived from
// them.
func (c Config) Areas() []area.Area {
	return []area.Area{
		textfile.Area(c.TextFile),
		feed.Area(c.Feed),
		photojob.Area(c.PhotoJob),
		library.Area(c.Library),
	}
}

// Storage returns descriptions of the storage of the areas and of Assay itself.
func (c Config) Storage(areas []area.Area) []area.Storage {
	var all []area.Storage
	for _, a := range areas {
		all = append(all, a.Storage)
	}
	return append(all, platform.Storage(c.Platform))
}

// Schemas returns the schemas of all tables with the settings: those of ASSAY_KMS_KEY, ASSAY_PITR and ASSAY_REPLICAS, and the
// tags of ASSAY_TABLE_TAGS and of the environment.
func (c Config) Schemas() ([]table.Schema, error) {
	var all []table.Schema
	for _, storage := range c.Storage(c.Areas()) {
		all = append(all, storage.Tables...)
	}
	settings := c.Tables
	settings.Tags = map[string]string{"Environment": c.PhotoJob.Env}
	maps.Copy(settings.Tags, c.Tables.Tags)
	return settings.Apply(all)
}

// Run creates missing tables, buckets and streams for the areas of the product. It updates existing streams to their declared
// settings, and the settings of existing tables as table.EnsureAll describes. It does not change existing buckets. Without an endpoint of
// DynamoDB, which selects AWS, it also registers the tables whose capacity scales with Application Auto Scaling.
func Run(ctx context.Context, cfg Config) error {
	tables, err := cfg.Schemas()
	if err != nil {
		return config.Unusable(err)
	}
	// Connecting to the bus creates the streams.
	backends, err := backend.Open(ctx, cfg.backends(), "setup", zerolog.Nop(), obs.NewRegistry())
	if err != nil {
		return err
	}
	defer backends.Close()
	err = table.EnsureAll(ctx, backends.DB, tables)
	if err == nil && cfg.Backends.DynamoDB.Endpoint == "" { // other engines do not scale
		err = ensureScaling(ctx, applicationautoscaling.NewFromConfig(backends.AWS), tables)
	}
	return errors.Join(err, ensureBuckets(ctx, cfg.buckets(backends), cfg.BucketPolicy))
}

// backends returns the configuration of the backends with all streams.
func (c Config) backends() backend.Config {
	all := c.Backends
	for _, a := range c.Areas() {
		all.NATS.Work = append(all.NATS.Work, a.Work)
		if a.Log.Stream != "" {
			all.NATS.Logs = append(all.NATS.Logs, a.Log)
		}
	}
	all.NATS.Queues = []bus.Queue{notice.Queue()}
	return all
}

// buckets returns all buckets.
func (c Config) buckets(backends *backend.Connections) []*blob.Store {
	buckets := []*blob.Store{backends.Bucket}
	for _, storage := range c.Storage(c.Areas()) {
		for _, name := range storage.Buckets {
			buckets = append(buckets, backends.Bucket.In(name))
		}
	}
	return buckets
}

// FirstKey creates an API key for the first operator. The tables must exist. It returns identity.ErrKeys if
// any key exists.
func FirstKey(ctx context.Context, cfg Config) (token string, err error) {
	backends, err := backend.Stores(ctx, cfg.Backends)
	if err != nil {
		return "", err
	}
	defer backends.Close()
	_, token, err = identity.NewKeys(platform.NewStore(backends.DB, cfg.Platform), time.Now).CreateFirst(ctx)
	return token, err
}

// ensureBuckets creates the buckets and sets their policies if a file with policies is given.
func ensureBuckets(ctx context.Context, buckets []*blob.Store, policyFile string) error {
	var policies []byte
	if policyFile != "" {
		var err error
		if policies, err = os.ReadFile(policyFile); err != nil {
			return fmt.Errorf("ASSAY_S3_BUCKET_POLICY: %w", err)
		}
	}
	for _, bucket := range buckets {
		if err := bucket.Ensure(ctx); err != nil {
			return err
		}
		if policyFile == "" {
			continue
		}
		policy, err := permissions.OfBucket(policies, bucket.Bucket)
		if err != nil {
			return fmt.Errorf("ASSAY_S3_BUCKET_POLICY: %s: %w", policyFile, err)
		}
		if err := bucket.PutPolicy(ctx, policy); err != nil {
			return err
		}
	}
	return nil
}
