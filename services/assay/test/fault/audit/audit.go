// Package audit compares what a system promised with what it stores: every accepted
// upload with its item, its bytes, its outcome events and its queued work. It reads
// the engines directly, and therefore works for services in one process, in several
// and in a cluster, whatever faults are injected.
//
// It reads the queued work, outcomes and dead letters of every area in setup.Config.
// Each area has a file that reads its items; reader.go lists the readers.
package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/services/assay/setup"
)

// System is a system to audit.
type System struct {
	cfg     setup.Config
	stores  *backend.Connections
	conn    *nats.Conn
	js      jetstream.JetStream
	readers map[string]reader // by area
}

// Open connects to the engines that setup.Run prepared. If cfg names no table for the feed
// dashboard, as for a system without a projector, the dashboard is not audited. The
// caller closes the System.
func Open(ctx context.Context, cfg setup.Config) (*System, error) {
	stores, err := backend.Stores(ctx, cfg.Backends)
	if err != nil {
		return nil, err
	}
	conn, err := nats.Connect(cfg.Backends.NATS.URL, nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond))
	if err != nil {
		stores.Close()
		return nil, fmt.Errorf("cannot reach NATS at %s: %w", cfg.Backends.NATS.URL, err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		conn.Close()
		stores.Close()
		return nil, err
	}
	return &System{cfg: cfg, stores: stores, conn: conn, js: js, readers: readers(cfg, stores)}, nil
}

// Close closes the connections.
func (s *System) Close() {
	s.conn.Close()
	s.stores.Close()
}

// DB returns the DynamoDB client. DB, Bucket and JetStream are for tests that create or
// corrupt data directly.
func (s *System) DB() *dynamodb.Client { return s.stores.DB }

// Bucket returns the bucket of all areas.
func (s *System) Bucket() *blob.Store { return s.stores.Bucket }

// JetStream returns the JetStream client.
func (s *System) JetStream() jetstream.JetStream { return s.js }

// auditPause is the pause between two audits of a system with stuck items.
const auditPause = 250 * time.Millisecond

// Audit compares the stored state of the system with the given promises, which must be
// complete: any other item counts as doubled. While items are stuck or an engine does
// not respond, it repeats the audit for the duration of patience. It returns an error if
// the last audit could not read the system.
func (s *System) Audit(ctx context.Context, promises []Promise, patience time.Duration) (Report, error) {
	deadline := time.Now().Add(patience)
	for {
		last := time.Now().After(deadline) // checked first: an audit of many items takes time
		report, err := s.auditOnce(ctx, promises)
		if err == nil && report.Stuck == 0 || ctx.Err() != nil || last {
			return report, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(auditPause):
		}
	}
}

// auditOnce reads and checks the system once.
func (s *System) auditOnce(ctx context.Context, promises []Promise) (Report, error) {
	// Queued work is read first: otherwise an item that ends while the tables are read
	// would appear to have lost its event.
	waiting, err := s.waiting(ctx)
	if err != nil {
		return Report{}, err
	}
	items := map[string]map[string]*held{}
	for name, area := range s.readers {
		if items[name], err = area.read(ctx); err != nil {
			return Report{}, fmt.Errorf("audit of %s: %w", name, err)
		}
	}
	outcomes, err := s.outcomes(ctx)
	if err != nil {
		return Report{}, err
	}
	deadLetters, err := s.deadLetters(ctx)
	if err != nil {
		return Report{}, err
	}
	j := judge{waiting: waiting, outcomes: outcomes, deadLetters: deadLetters}
	for _, promise := range promises {
		area, known := s.readers[promise.Area]
		if !known {
			return Report{}, fmt.Errorf("no reader for the area %q", promise.Area)
		}
		name := promise.ID
		if items[promise.Area][name] == nil && area.leftover != nil {
			name = area.leftover(name)
		}
		j.promise(promise, items[promise.Area][name])
		delete(items[promise.Area], name)
		delete(j.waiting, promise.ID)
		delete(j.deadLetters, promise.ID)
	}
	j.rest(items)
	return j.report, nil
}
