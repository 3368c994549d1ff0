// Package changes follows the change stream of a table.
//
// A stream has shards, each an ordered log of the changes to some items. A shard may have a parent,
// whose changes precede its own. The checkpoint of a shard is saved only after its changes are
// projected: after a crash some changes are projected again, which must have no effect. A lease on
// the checkpoint ensures that only one process reads a shard. A checkpoint states its stream: that of
// another stream, such as the table's replica in another region, is not used.
package changes

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/checkpoint"
	"github.com/assay-project/assay/pkg/platform"
)

const (
	defaultPoll  = 200 * time.Millisecond
	defaultLease = 3 * time.Second
)

// Config contains times that tests shorten.
type Config struct {
	// Poll is the interval between polls of the change stream while there are no changes; 0 means 200 ms.
	Poll time.Duration
	// Lease is the time without renewal after which a follower's lease expires and another follower takes over its shards; 0 means
	// 3 s.
	Lease time.Duration
}

// Follower projects the changes of a table. Run must be called only once.
type Follower struct {
	cfg         Config
	name        string // of the projection
	table       string
	db          *dynamodb.Client
	streams     *dynamodbstreams.Client
	checkpoints *checkpoint.Store
	project     func(ctx context.Context, shard string, records []streams.Record) error
	advice      string
	log         zerolog.Logger
	metrics     *metrics
}

// Options are the dependencies of a follower.
type Options struct {
	DB       *dynamodb.Client
	Streams  *dynamodbstreams.Client
	Table    string
	Platform platform.Config // contains the checkpoints
	Log      zerolog.Logger
	Registry prometheus.Registerer
	// Projection is the name of the checkpoints, and of the follower in metrics.
	Projection string
	// Keep is how long the checkpoint of a shard is retained, which must be longer than the stream's retention.
	Keep time.Duration
	// Advice is logged as the action to take if the stream has dropped changes. Optional.
	Advice string
	// Project projects changes of a shard, in order. It returns when the result is durable. Changes of
	// several shards are projected concurrently.
	Project func(ctx context.Context, shard string, records []streams.Record) error
}

// New returns a follower. It makes no request.
func New(cfg Config, o Options) *Follower {
	cfg.Poll, cfg.Lease = cmp.Or(cfg.Poll, defaultPoll), cmp.Or(cfg.Lease, defaultLease)
	return &Follower{
		cfg: cfg, name: o.Projection, table: o.Table, db: o.DB, streams: o.Streams, project: o.Project, advice: o.Advice, log: o.Log,
		checkpoints: checkpoint.New(o.DB, checkpoint.Options{Table: o.Platform, Projection: o.Projection, Lease: cfg.Lease, Keep: o.Keep}),
		metrics:     newMetrics(prometheus.WrapRegistererWith(prometheus.Labels{"projection": o.Projection}, o.Registry)),
	}
}

// Poisoned counts a change that cannot be projected.
func (p *Follower) Poisoned() { p.metrics.poison.Inc() }

// Run follows the stream until ctx is done, then releases its shards and returns nil. Failures of the
// backends are logged and retried.
func (p *Follower) Run(ctx context.Context) error {
	var following sync.WaitGroup
	defer following.Wait()
	running := map[string]bool{}
	ended := make(chan string)
	rediscover := time.NewTicker(p.cfg.Lease / 2)
	defer rediscover.Stop()
	for {
		ready, arn, err := p.ready(ctx)
		if err != nil && ctx.Err() == nil {
			p.log.Warn().Err(err).Msg("cannot read the change stream; retrying")
			p.metrics.stuck(discovery)
		}
		if err == nil {
			p.metrics.left(discovery)
		}
		for _, shard := range ready {
			if running[shard] {
				continue
			}
			running[shard] = true
			following.Go(func() {
				p.follow(ctx, arn, shard)
				select {
				case ended <- shard:
				case <-ctx.Done():
				}
			})
		}
		select {
		case <-ctx.Done():
			return nil
		case shard := <-ended:
			delete(running, shard)
		case <-rediscover.C:
		}
	}
}

// ready lists the shards to read: the unfinished ones, except those whose parent is listed
// and unfinished.
func (p *Follower) ready(ctx context.Context) (shards []string, arn string, err error) {
	described, err := p.db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &p.table})
	if err != nil {
		return nil, "", fmt.Errorf("describe %s: %w", p.table, err)
	}
	if arn = aws.ToString(described.Table.LatestStreamArn); arn == "" {
		return nil, "", fmt.Errorf("%s has no change stream", p.table)
	}
	all, err := p.shards(ctx, arn)
	if err != nil {
		return nil, "", err
	}
	positions, err := p.checkpoints.Positions(ctx)
	if err != nil {
		return nil, "", err
	}
	listed := map[string]bool{}
	for _, shard := range all {
		listed[aws.ToString(shard.ShardId)] = true
	}
	done := func(shard string) bool { return positions[shard].In(arn).Done }
	for _, shard := range all {
		id, parent := aws.ToString(shard.ShardId), aws.ToString(shard.ParentShardId)
		// A parent that is no longer listed is past the stream's retention.
		if !done(id) && (parent == "" || !listed[parent] || done(parent)) {
			shards = append(shards, id)
		}
	}
	return shards, arn, nil
}

func (p *Follower) shards(ctx context.Context, arn string) ([]streams.Shard, error) {
	var all []streams.Shard
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: &arn}
	for {
		out, err := p.streams.DescribeStream(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("describe the stream %s: %w", arn, err)
		}
		all = append(all, out.StreamDescription.Shards...)
		if in.ExclusiveStartShardId = out.StreamDescription.LastEvaluatedShardId; in.ExclusiveStartShardId == nil {
			return all, nil
		}
	}
}
