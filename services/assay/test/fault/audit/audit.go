// Package audit compares what a system promised with what it holds: every
// upload that was accepted with its item, its bytes, its outcome events and what
// still waits. It reads the engines directly and asks no service, so that it is
// the same for goroutines, processes and clusters, and it knows no fault.
//
// Waiting work, outcomes and dead letters are those of every area that setup.Config
// describes. What an area stores is read by the file of its name, listed in reader.go.
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

// System is what is audited.
type System struct {
	cfg     setup.Config
	stores  *backend.Connections
	conn    *nats.Conn
	js      jetstream.JetStream
	readers map[string]reader // by area
}

// Open connects to the engines of what setup.Run has created. Where cfg names no dashboard
// of the feed, its rows are left out, for a system without a projector. The caller closes
// the System.
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

// DB is the tables. With Bucket and JetStream it is for a test that prepares or breaks
// something by hand.
func (s *System) DB() *dynamodb.Client { return s.stores.DB }

// Bucket is the bucket of all areas' bytes.
func (s *System) Bucket() *blob.Store { return s.stores.Bucket }

// JetStream is the NATS server's.
func (s *System) JetStream() jetstream.JetStream { return s.js }

// auditPause is the pause between two looks at a system that is not done.
const auditPause = 250 * time.Millisecond

// Audit judges the promises, which must be all that were made on this system:
// what else it holds counts as doubled. While something is stuck it looks again,
// until a look that began when patience was over; a system whose engines do not
// answer is looked at again too. It returns an error when it could not look.
func (s *System) Audit(ctx context.Context, promises []Promise, patience time.Duration) (Report, error) {
	deadline := time.Now().Add(patience)
	for {
		last := time.Now().After(deadline) // a look at much takes its time
		report, err := s.look(ctx, promises)
		if err == nil && report.Stuck == 0 || ctx.Err() != nil || last {
			return report, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(auditPause):
		}
	}
}

// look audits once.
func (s *System) look(ctx context.Context, promises []Promise) (Report, error) {
	// The events first: what ends while the tables are read would look as if its
	// event were lost.
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
	told, err := s.told(ctx)
	if err != nil {
		return Report{}, err
	}
	letters, err := s.letters(ctx)
	if err != nil {
		return Report{}, err
	}
	j := judge{waiting: waiting, told: told, letters: letters}
	for _, promise := range promises {
		area, known := s.readers[promise.Area]
		if !known {
			return Report{}, fmt.Errorf("no reader of the area %q", promise.Area)
		}
		name := promise.ID
		if items[promise.Area][name] == nil && area.left != nil {
			name = area.left(name)
		}
		j.promise(promise, items[promise.Area][name])
		delete(items[promise.Area], name)
		delete(j.waiting, promise.ID)
		delete(j.letters, promise.ID)
	}
	j.rest(items)
	return j.report, nil
}
