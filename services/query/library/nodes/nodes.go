// Package nodes publishes NodeChanged events from the change stream of the nodes table. Every write of a
// node results in one event, so the events and the table cannot diverge.
package nodes

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/services/query/changes"
)

const (
	// projection is the name of the checkpoints.
	projection = "library"
	// keep exceeds the retention of a DynamoDB stream.
	keep = 7 * 24 * time.Hour
	// publishers is the maximum number of nodes of a batch whose changes are published concurrently.
	publishers = 16
)

// Publisher publishes node changes. Run must be called only once.
type Publisher struct {
	follower *changes.Follower
	bus      *bus.Bus
	log      zerolog.Logger
}

// New returns a publisher. It makes no request.
func New(cfg changes.Config, tables library.Config, at platform.Config, backends *backend.Connections, log zerolog.Logger, reg prometheus.Registerer) *Publisher {
	p := &Publisher{bus: backends.Bus, log: log}
	p.follower = changes.New(cfg, changes.Options{
		DB: backends.DB, Streams: backends.Streams, Table: tables.NodesTable(), Platform: at, Log: log, Registry: reg,
		Projection: projection, Keep: keep, Advice: "subscribers must read the nodes again", Project: p.project,
	})
	return p
}

// Run publishes until ctx is done and returns nil.
func (p *Publisher) Run(ctx context.Context) error { return p.follower.Run(ctx) }

// project publishes the changes of a batch, keeping the order of the changes of each node. Message ids
// are derived from node versions, so the stream drops duplicates.
func (p *Publisher) project(ctx context.Context, shard string, records []streams.Record) error {
	var order []string
	byNode := map[string][]event.Event{}
	for _, record := range records {
		events, err := changed(record)
		if err != nil { // no version of Assay writes such an item
			p.follower.Poisoned()
			p.log.Error().Err(err).Str("shard", shard).Str("event", aws.ToString(record.EventID)).Msg("skipped a node change that cannot be read")
			continue
		}
		id := events[0].Item
		if byNode[id] == nil {
			order = append(order, id)
		}
		byNode[id] = append(byNode[id], events...)
	}
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(publishers)
	for _, id := range order {
		all.Go(func() error {
			for _, e := range byNode[id] {
				if err := p.bus.Publish(ctx, e); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return all.Wait()
}

// changed returns the events of a change: NodeChanged, and the same for saved searches if it renamed or moved a file that has ended. Other changes of
// nodes are none of theirs, and there are several for each file.
func changed(record streams.Record) ([]event.Event, error) {
	if record.Dynamodb == nil {
		return nil, errors.New("the change has no images")
	}
	node, err := read(record.Dynamodb.NewImage)
	if err != nil {
		return nil, err
	}
	before, err := read(record.Dynamodb.OldImage)
	if err != nil {
		return nil, err
	}
	kind := library.ChangeUpdated
	switch record.EventName {
	case streams.OperationTypeInsert:
		kind = library.ChangeCreated
	case streams.OperationTypeRemove:
		node, kind = before, library.ChangeDeleted
	}
	if !library.ValidID(node.ID) {
		return nil, errors.New("the node has no id")
	}
	all := []event.Event{node.Changed(kind, before)}
	moved := kind == library.ChangeUpdated && (node.Name != before.Name || node.ParentID != before.ParentID)
	if moved && node.IsFile() && !node.IsDeleted && library.Machine().IsFinal(node.Status) {
		all = append(all, saved.NewMoved(library.Name, all[0]))
	}
	return all, nil
}

// read returns the node of an image, or the zero Node for nil.
func read(image map[string]streams.AttributeValue) (n library.Node, err error) {
	attributes, err := attributevalue.FromDynamoDBStreamsMap(image)
	if err != nil {
		return n, err
	}
	return n, attributevalue.UnmarshalMap(attributes, &n)
}
