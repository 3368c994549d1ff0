// Package tablebackup backs up and restores the tables of services with separate engines, with the means of DynamoDB:
// on-demand backups, point-in-time recovery and exports. It also checks that the buckets keep the versions of objects.
package tablebackup

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/assay/setup"
)

// Source is the tables and buckets of a system.
type Source struct {
	Schemas []table.Schema
	Buckets []*blob.Store

	db       *dynamodb.Client
	backends *backend.Connections
}

// Open connects to DynamoDB and S3 with the settings of `assay setup`. It makes no request. The caller closes the Source.
func Open(ctx context.Context, cfg setup.Config) (*Source, error) {
	backends, err := backend.Stores(ctx, cfg.Backends)
	if err != nil {
		return nil, err
	}
	s := &Source{db: backends.DB, backends: backends, Buckets: []*blob.Store{backends.Bucket}}
	for _, storage := range cfg.Storage(cfg.Areas()) {
		s.Schemas = append(s.Schemas, storage.Tables...)
		for _, name := range storage.Buckets {
			s.Buckets = append(s.Buckets, backends.Bucket.In(name))
		}
	}
	return s, nil
}

// Close closes the connections.
func (s *Source) Close() { s.backends.Close() }

// longestWait is the time between two requests for the state of a backup or table.
const longestWait = 2 * time.Second

// await calls ready repeatedly until it returns true or an error, or ctx is done.
func await(ctx context.Context, ready func() (bool, error)) error {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, longestWait) {
		if done, err := ready(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// wrap adds what failed to an error.
func wrap(name, what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("table %s: %s: %w", name, what, err)
}
