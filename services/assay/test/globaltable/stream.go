package globaltable

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// open finds the shard of the stream. The embedded engine has one for each stream.
func (r *replica) open(ctx context.Context) error {
	out, err := r.Streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: &r.arn})
	if err != nil {
		return fmt.Errorf("describe the stream in %s: %w", r.Name, err)
	}
	if n := len(out.StreamDescription.Shards); n != 1 {
		return fmt.Errorf("the stream in %s has %d shards, want 1", r.Name, n)
	}
	r.shard = out.StreamDescription.Shards[0].ShardId
	return nil
}

// read reads the records that a stream has now, and returns their number. It returns an error if records are missing.
// Other failures are kept in the replica, and the next round tries again.
func (t *Table) read(ctx context.Context, r *replica) (n int, err error) {
	r.failure = nil
	for {
		records, err := r.records(ctx)
		if _, dropped := errors.AsType[*streams.TrimmedDataAccessException](err); dropped {
			return n, fmt.Errorf("the stream in %s has dropped changes: %w", r.Name, err)
		}
		if err != nil {
			r.failure = err
			return n, nil
		}
		for _, record := range records {
			if err := t.observe(r, record); err != nil {
				return n, err
			}
			r.after = *record.Dynamodb.SequenceNumber
		}
		n += len(records)
		if len(records) == 0 {
			return n, nil
		}
	}
}

// records returns the next records of a stream, if there are any.
func (r *replica) records(ctx context.Context) ([]streams.Record, error) {
	if r.iterator == nil {
		in := &dynamodbstreams.GetShardIteratorInput{StreamArn: &r.arn, ShardId: r.shard, ShardIteratorType: streams.ShardIteratorTypeTrimHorizon}
		if r.after != "" {
			in.ShardIteratorType, in.SequenceNumber = streams.ShardIteratorTypeAfterSequenceNumber, &r.after
		}
		out, err := r.Streams.GetShardIterator(ctx, in)
		if err != nil {
			return nil, err
		}
		r.iterator = out.ShardIterator
	}
	out, err := r.Streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: r.iterator})
	if err != nil {
		r.iterator = nil // it may have expired
		return nil, err
	}
	r.iterator = out.NextShardIterator
	return out.Records, nil
}

// observe advances a replica by a record. A record that this package has caused changes nothing else. Any other is a change
// for the other regions.
func (t *Table) observe(r *replica, record streams.Record) error {
	key, err := attributevalue.FromDynamoDBStreamsMap(record.Dynamodb.Keys)
	if err != nil {
		return fmt.Errorf("read a record: %w", err)
	}
	var written item
	if record.EventName != streams.OperationTypeRemove {
		if written, err = attributevalue.FromDynamoDBStreamsMap(record.Dynamodb.NewImage); err != nil {
			return fmt.Errorf("read a record: %w", err)
		}
	}
	for name := range written {
		t.names[name] = true
	}
	id := t.id(key)
	if r.expected(id, written) {
		return nil
	}
	before := r.items[id].version
	now := state{written, before.next(aws.ToTime(record.Dynamodb.ApproximateCreationDateTime).Unix(), r.Name)}
	r.items[id] = now
	for _, other := range t.replicas {
		if other != r {
			other.inbox = append(other.inbox, change{state: now, id: id, key: key, base: before, from: r.Name, due: time.Now().Add(t.lag)})
		}
	}
	return nil
}

// expected reports whether a record is the next echo of an item, and removes it.
func (r *replica) expected(id string, written item) bool {
	for echoes := r.echoes[id]; len(echoes) > 0; echoes = r.echoes[id] {
		next := echoes[0]
		if r.echoes[id] = echoes[1:]; len(echoes) == 1 {
			delete(r.echoes, id)
		}
		if equal(next.item, written) {
			r.items[id] = next.state
			return true
		}
		if !next.maybe {
			r.echoes[id] = echoes // a local write before the replicated one
			return false
		}
	}
	return false
}
