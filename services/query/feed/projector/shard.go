package projector

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

const (
	batchSize = 250 // how many changes are read at once
	// maxHolds is for how many leases a shard is held while one batch is written. It
	// is lost then, since what takes so long may hang for good.
	maxHolds = 10
	// heldPause is between the end of another's hold and the try to take the shard.
	heldPause = 10 * time.Millisecond
	// retryPause is how long a shard rests after a failure.
	retryPause = time.Second
	// releaseWait bounds the giving back of a shard after ctx has ended.
	releaseWait = 2 * time.Second
)

// follow reads a shard until its end, until another process has it, until an
// engine fails, or until ctx ends.
func (p *Projector) follow(ctx context.Context, arn, shard string) {
	log := p.log.With().Str("shard", shard).Logger()
	at, err := p.checkpoints.acquire(ctx, arn, shard)
	if err == nil {
		p.metrics.reached(shard, time.Now())
		err = p.read(ctx, arn, &at)
	}
	held, others := errors.AsType[heldError](err)
	switch {
	case others:
		p.metrics.left(shard)
		log.Debug().Msg("another projector has the shard")
		rest(ctx, min(held.wait+heldPause, p.cfg.Lease))
	case ctx.Err() != nil:
		p.release(ctx, at)
	case err != nil:
		p.metrics.stuck(shard)
		log.Warn().Err(err).Msg("cannot follow a shard; trying again")
		rest(ctx, retryPause)
	default:
		p.metrics.left(shard)
		log.Info().Msg("the shard is read to its end")
	}
}

func (p *Projector) release(ctx context.Context, at checkpoint) {
	if at.Shard == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWait)
	defer cancel()
	if err := p.checkpoints.release(ctx, at); err != nil && !isHeld(err) {
		p.log.Warn().Err(err).Str("shard", at.Shard).Msg("a shard was not given back; another projector waits for a lease")
	}
}

// read projects a shard from its checkpoint on, which it moves along. It returns
// nil at the shard's end, and a heldError when another process has it.
func (p *Projector) read(ctx context.Context, arn string, at *checkpoint) error {
	iterator, err := p.iterator(ctx, arn, *at)
	if err != nil {
		return err
	}
	saved := time.Now()
	for {
		out, err := p.streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: iterator, Limit: aws.Int32(batchSize)})
		if _, expired := errors.AsType[*streams.ExpiredIteratorException](err); expired {
			if iterator, err = p.iterator(ctx, arn, *at); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		asOf := time.Now()
		if n := len(out.Records); n > 0 {
			stop := p.hold(ctx, at.Shard)
			err := p.project(ctx, at.Shard, out.Records)
			stop()
			if err != nil {
				return err
			}
			last := out.Records[n-1].Dynamodb
			at.Sequence = aws.ToString(last.SequenceNumber)
			if last.ApproximateCreationDateTime != nil {
				asOf = *last.ApproximateCreationDateTime
			}
		}
		at.Done = out.NextShardIterator == nil
		if len(out.Records) > 0 || at.Done || time.Since(saved) > p.cfg.Lease/3 {
			if err := p.checkpoints.save(ctx, *at); err != nil {
				return err
			}
			saved = time.Now()
		}
		if at.Done {
			return nil
		}
		p.metrics.reached(at.Shard, asOf)
		iterator = out.NextShardIterator
		if len(out.Records) == 0 {
			rest(ctx, p.cfg.Poll)
		}
	}
}

// hold renews the hold on a shard every third of a lease until stop is called: on a
// busy machine a batch may take longer than a lease.
func (p *Projector) hold(ctx context.Context, shard string) (stop func()) {
	ctx, cancel := context.WithTimeout(ctx, maxHolds*p.cfg.Lease)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		tick := time.NewTicker(p.cfg.Lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := p.checkpoints.renew(ctx, shard); err != nil && ctx.Err() == nil {
				p.log.Debug().Err(err).Str("shard", shard).Msg("the hold on a shard is not renewed")
			}
		}
	})
	return func() {
		cancel()
		renewing.Wait()
	}
}

// iterator starts after the checkpoint. When the stream has dropped what comes
// next, it starts at what is left: the dashboard then lacks what was dropped
// until it is rebuilt.
func (p *Projector) iterator(ctx context.Context, arn string, at checkpoint) (*string, error) {
	in := &dynamodbstreams.GetShardIteratorInput{
		StreamArn: &arn, ShardId: &at.Shard, ShardIteratorType: streams.ShardIteratorTypeTrimHorizon,
	}
	if at.Sequence != "" {
		in.ShardIteratorType, in.SequenceNumber = streams.ShardIteratorTypeAfterSequenceNumber, &at.Sequence
	}
	out, err := p.streams.GetShardIterator(ctx, in)
	if _, trimmed := errors.AsType[*streams.TrimmedDataAccessException](err); trimmed {
		p.metrics.gaps.Inc()
		p.log.Error().Str("shard", at.Shard).Msg("changes were dropped before they were projected: run assay feed rebuild")
		in.ShardIteratorType, in.SequenceNumber = streams.ShardIteratorTypeTrimHorizon, nil
		out, err = p.streams.GetShardIterator(ctx, in)
	}
	if err != nil {
		return nil, err
	}
	return out.ShardIterator, nil
}

func rest(ctx context.Context, pause time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}
