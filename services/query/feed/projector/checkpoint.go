package projector

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/feed"
)

// checkpointPartition is the day_partition of checkpoints, which no day has.
const checkpointPartition = "projector"

// heldError reports that another process reads the shard.
type heldError struct{ wait time.Duration } // until it loses the shard, unless it renews its hold

func (heldError) Error() string { return "another projector has the shard" }

func isHeld(err error) bool {
	_, held := errors.AsType[heldError](err)
	return held
}

// checkpoint is how far a shard was read.
type checkpoint struct {
	Shard    string `dynamodbav:"ingested_at"` // the sort key
	Sequence string `dynamodbav:"sequence"`    // of the last change that was projected; empty before the first
	Done     bool   `dynamodbav:"done"`        // read to its end
}

// checkpoints keeps them as rows of the dashboard table. A process that holds one
// writes a new held_until, epoch milliseconds, at least every third of a lease; 0 gives
// the shard back. Another process takes a shard over when it has seen one value for a
// whole lease by its own monotonic clock: the wall clocks of two machines differ, and
// are stepped.
type checkpoints struct {
	db     *dynamodb.Client
	table  string
	holder string
	lease  time.Duration

	mu   sync.Mutex
	seen map[string]hold // holds of other processes, by shard
}

// hold is what another process wrote when it took or renewed a shard.
type hold struct {
	holder, until string
	since         time.Time // when this process saw it first
}

func newCheckpoints(db *dynamodb.Client, table, holder string, lease time.Duration) *checkpoints {
	return &checkpoints{db: db, table: table, holder: holder, lease: lease, seen: map[string]hold{}}
}

// done tells which shards were read to their end.
func (c *checkpoints) done(ctx context.Context) (map[string]bool, error) {
	done := map[string]bool{}
	in := &dynamodb.QueryInput{
		TableName: &c.table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("day_partition = :p"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":p": &types.AttributeValueMemberS{Value: checkpointPartition}},
	}
	for {
		out, err := c.db.Query(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("read checkpoints: %w", err)
		}
		var page []checkpoint
		if err := attributevalue.UnmarshalListOfMaps(out.Items, &page); err != nil {
			return nil, fmt.Errorf("read checkpoints: %w", err)
		}
		for _, at := range page {
			done[at.Shard] = at.Done
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			return done, nil
		}
	}
}

// acquire takes a shard for this process. It returns a heldError.
func (c *checkpoints) acquire(ctx context.Context, arn, shard string) (checkpoint, error) {
	now := time.Now()
	condition := "attribute_not_exists(holder) OR holder = :holder OR held_until = :free"
	values := map[string]types.AttributeValue{
		":until": millis(now.Add(c.lease)), ":free": millis(time.UnixMilli(0)), ":expires": expires(now),
		":arn": &types.AttributeValueMemberS{Value: arn},
	}
	if old, silent := c.silent(shard); silent {
		condition += " OR holder = :other AND held_until = :seen"
		values[":other"] = &types.AttributeValueMemberS{Value: old.holder}
		values[":seen"] = &types.AttributeValueMemberN{Value: old.until}
	}
	out, err := c.update(ctx, shard, "SET holder = :holder, held_until = :until, expires_at = :expires, stream_arn = :arn", condition, values)
	if err != nil {
		return checkpoint{}, err
	}
	var at checkpoint
	if err := attributevalue.UnmarshalMap(out.Attributes, &at); err != nil {
		return checkpoint{}, fmt.Errorf("checkpoint of %s: %w", shard, err)
	}
	return at, nil
}

// renew renews the hold. It returns a heldError.
func (c *checkpoints) renew(ctx context.Context, shard string) error {
	_, err := c.update(ctx, shard, "SET held_until = :until", "holder = :holder",
		map[string]types.AttributeValue{":until": millis(time.Now().Add(c.lease))})
	return err
}

// save moves the checkpoint and renews the hold. It returns a heldError.
func (c *checkpoints) save(ctx context.Context, at checkpoint) error {
	return c.move(ctx, at, time.Now().Add(c.lease))
}

// release moves the checkpoint, since the process may have been stopped before it
// saved, and lets another process go on at once. It returns a heldError.
func (c *checkpoints) release(ctx context.Context, at checkpoint) error {
	return c.move(ctx, at, time.UnixMilli(0))
}

func (c *checkpoints) move(ctx context.Context, at checkpoint, until time.Time) error {
	_, err := c.update(ctx, at.Shard, "SET #sequence = :sequence, done = :done, held_until = :until, expires_at = :expires", "holder = :holder",
		map[string]types.AttributeValue{
			":sequence": &types.AttributeValueMemberS{Value: at.Sequence}, ":done": &types.AttributeValueMemberBOOL{Value: at.Done},
			":until": millis(until), ":expires": expires(time.Now()),
		})
	return err
}

func (c *checkpoints) update(ctx context.Context, shard, update, condition string, values map[string]types.AttributeValue) (*dynamodb.UpdateItemOutput, error) {
	values[":holder"] = &types.AttributeValueMemberS{Value: c.holder}
	in := &dynamodb.UpdateItemInput{
		TableName: &c.table, ReturnValues: types.ReturnValueAllNew,
		Key: map[string]types.AttributeValue{
			"day_partition": &types.AttributeValueMemberS{Value: checkpointPartition},
			"ingested_at":   &types.AttributeValueMemberS{Value: shard},
		},
		UpdateExpression: &update, ConditionExpression: &condition, ExpressionAttributeValues: values,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
	if _, moves := values[":sequence"]; moves {
		in.ExpressionAttributeNames = map[string]string{"#sequence": "sequence"} // a reserved word
	}
	out, err := c.db.UpdateItem(ctx, in)
	if held, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return nil, heldError{c.observe(shard, held.Item)}
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint of %s: %w", shard, err)
	}
	return out, nil
}

// observe remembers the hold of another process, and returns how long it takes until
// the hold is lost unless it is renewed.
func (c *checkpoints) observe(shard string, row map[string]types.AttributeValue) time.Duration {
	now := hold{since: time.Now()}
	if holder, ok := row["holder"].(*types.AttributeValueMemberS); ok {
		now.holder = holder.Value
	}
	if until, ok := row["held_until"].(*types.AttributeValueMemberN); ok {
		now.until = until.Value
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if before := c.seen[shard]; before.holder == now.holder && before.until == now.until {
		now = before
	}
	c.seen[shard] = now
	return max(0, c.lease-time.Since(now.since))
}

// silent returns the hold of another process that was not renewed for a lease.
func (c *checkpoints) silent(shard string) (hold, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old, there := c.seen[shard]
	return old, there && old.until != "" && time.Since(old.since) >= c.lease
}

func millis(at time.Time) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(at.UnixMilli(), 10)}
}

// expires lets rows of long gone shards go; the stream forgets them sooner.
func expires(now time.Time) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(now.Add(feed.Retention).Unix(), 10)}
}
