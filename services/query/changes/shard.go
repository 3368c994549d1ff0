package changes

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/assay-project/assay/pkg/checkpoint"
	"github.com/assay-project/assay/pkg/obs"
)

const (
	batchSize = 250 // maximum number of changes per read
	// heldPause is the time between the end of another process's lease and the attempt to take over
	// the shard.
	heldPause = 10 * time.Millisecond
	// retryPause is the time between a failure and the next attempt.
	retryPause = time.Second
)

// follow reads a shard until its end, or until another process takes it over, a backend fails, or
// ctx is done.
func (p *Follower) follow(ctx context.Context, arn, shard string) {
	log := p.log.With().Str("shard", shard).Logger()
	lease, err := p.checkpoints.Acquire(ctx, shard)
	if err == nil {
		p.metrics.reached(shard, time.Now())
		err = p.read(ctx, arn, shard, lease)
		p.release(ctx, shard, lease)
	}
	held, isHeld := errors.AsType[*checkpoint.HeldError](err)
	switch {
	case isHeld:
		p.metrics.left(shard)
		log.Debug().Msg("another process holds the lease on the shard")
		sleep(ctx, min(held.Wait+heldPause, p.cfg.Lease))
	case errors.Is(err, checkpoint.ErrLost):
		p.metrics.left(shard)
		log.Debug().Msg("lost the lease on the shard")
	case ctx.Err() != nil:
	case err != nil:
		p.metrics.stuck(shard)
		log.Warn().Err(err).Msg("cannot read a shard; retrying")
		sleep(ctx, retryPause)
	default:
		p.metrics.left(shard)
		log.Info().Msg("finished reading the shard")
	}
}

func (p *Follower) release(ctx context.Context, shard string, lease *checkpoint.Lease) {
	if err := lease.Release(ctx); err != nil {
		p.log.Warn().Err(err).Str("shard", shard).Msg("cannot release a shard; the next projector waits until the lease expires")
	}
}

// read projects a shard from its checkpoint. It returns nil at the shard's end, and
// checkpoint.ErrLost when another process has taken it over.
func (p *Follower) read(ctx context.Context, arn, shard string, lease *checkpoint.Lease) error {
	at := lease.Position().In(arn)
	iterator, err := p.iterator(ctx, arn, shard, at.After)
	if err != nil {
		return err
	}
	saved := time.Now()
	for {
		out, err := p.streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: iterator, Limit: aws.Int32(batchSize)})
		if _, expired := errors.AsType[*streams.ExpiredIteratorException](err); expired {
			if iterator, err = p.iterator(ctx, arn, shard, at.After); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		asOf := time.Now()
		if n := len(out.Records); n > 0 {
			batch, span := obs.Begin(ctx, "project "+p.name)
			err := lease.Keep(batch, func(ctx context.Context) error { return p.project(ctx, shard, out.Records) })
			obs.End(span, err)
			if err != nil {
				return err
			}
			p.metrics.projected.Add(float64(n))
			last := out.Records[n-1].Dynamodb
			at.After = aws.ToString(last.SequenceNumber)
			if last.ApproximateCreationDateTime != nil {
				asOf = *last.ApproximateCreationDateTime
			}
		}
		at.Done = out.NextShardIterator == nil
		if len(out.Records) > 0 || at.Done || time.Since(saved) > p.cfg.Lease/3 {
			if err := lease.Save(ctx, at); err != nil {
				return err
			}
			saved = time.Now()
		}
		if at.Done {
			return nil
		}
		p.metrics.reached(shard, asOf)
		iterator = out.NextShardIterator
		if len(out.Records) == 0 {
			sleep(ctx, p.cfg.Poll)
		}
	}
}

// iterator returns an iterator that starts after the given sequence number. It starts at the oldest
// change if the number is empty or the stream has dropped changes after it.
func (p *Follower) iterator(ctx context.Context, arn, shard, after string) (*string, error) {
	in := &dynamodbstreams.GetShardIteratorInput{
		StreamArn: &arn, ShardId: &shard, ShardIteratorType: streams.ShardIteratorTypeTrimHorizon,
	}
	if after != "" {
		in.ShardIteratorType, in.SequenceNumber = streams.ShardIteratorTypeAfterSequenceNumber, &after
	}
	out, err := p.streams.GetShardIterator(ctx, in)
	if _, trimmed := errors.AsType[*streams.TrimmedDataAccessException](err); trimmed {
		p.metrics.gaps.Inc()
		p.log.Error().Str("shard", shard).Str("advice", p.advice).Msg("changes were dropped before they were projected")
		in.ShardIteratorType, in.SequenceNumber = streams.ShardIteratorTypeTrimHorizon, nil
		out, err = p.streams.GetShardIterator(ctx, in)
	}
	if err != nil {
		return nil, err
	}
	return out.ShardIterator, nil
}

func sleep(ctx context.Context, pause time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}
