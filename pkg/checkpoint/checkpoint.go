// Package checkpoint stores the positions up to which shared logs, such as the shards of a change
// stream, are processed, and ensures that only one process at a time processes each log. The rows
// are in the table assay-platform, with a partition per projection and a row per log.
//
// A holder takes a lease under a unique token and writes only while the row has that token, so that
// only one holder at a time advances a position. Every write of a holder changes the row's revision.
// Another process takes over a log when the revision has not changed for the duration of a lease,
// as measured by its own monotonic clock. Wall clocks are not compared, because they differ between
// machines and can be stepped.
//
// A position is saved after the effects of the entries up to it. A process that crashes
// between the two repeats some entries, so effects must be idempotent.
package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
)

// ErrLost means that another holder has the lease, or the row does not exist.
var ErrLost = errors.New("the lease on the checkpoint is lost")

// HeldError means that another process holds the log.
type HeldError struct {
	Wait time.Duration // time until the log can be taken over, unless its holder renews the lease
}

func (*HeldError) Error() string { return "another process holds the checkpoint" }

// Position is the position up to which a log is processed.
type Position struct {
	After string `dynamodbav:"position"` // the last processed entry; empty if there is none
	Done  bool   `dynamodbav:"done"`     // whether the log has ended and has been processed completely
	// Stream identifies the stream that the log is a part of, such as the ARN of a change stream: a row that was copied from
	// another region, or restored from a backup, may be of another stream whose log has the same name. It is empty if it
	// was never saved.
	Stream string `dynamodbav:"stream,omitempty"`
}

// In returns the position if it is one in this stream, or if its stream is unknown. Otherwise it returns the beginning of
// the stream.
func (p Position) In(stream string) Position {
	if p.Stream != "" && p.Stream != stream {
		p = Position{}
	}
	p.Stream = stream
	return p
}

// Options describe the checkpoints of one projection.
type Options struct {
	Table      platform.Config
	Projection string        // unique name of the projection in the table
	Lease      time.Duration // time without a write after which another process can take over
	Keep       time.Duration // time from the last write to the expiry of a row; 0 for never
}

// Store stores the checkpoints of one projection. It is safe for concurrent
// use.
type Store struct {
	db        *dynamodb.Client
	table     string
	partition string
	lease     time.Duration
	keep      time.Duration

	id     string // prefix of the tokens of its leases
	leases atomic.Int64

	mu   sync.Mutex
	seen map[string]sighting // other holders, by log
}

// sighting is the state of a row when this process last read it.
type sighting struct {
	holder   string
	revision int64
	since    time.Time // has a monotonic clock reading
}

// New returns the checkpoints of a projection. It makes no request.
func New(db *dynamodb.Client, o Options) *Store {
	return &Store{
		db: db, table: o.Table.Table, partition: platform.Checkpoints + o.Projection,
		lease: o.Lease, keep: o.Keep,
		id: uuid.NewString() + "/", seen: map[string]sighting{},
	}
}

// row is a stored checkpoint.
type row struct {
	Position
	Log      string `dynamodbav:"SK"`
	Holder   string `dynamodbav:"holder"` // token of the holder; missing while the log is free
	Revision int64  `dynamodbav:"revision"`
}

// Positions reads all positions by log, with strongly consistent reads.
func (s *Store) Positions(ctx context.Context) (map[string]Position, error) {
	all := map[string]Position{}
	pages := dynamodb.NewQueryPaginator(s.db, &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("PK = :partition"),
		ExpressionAttributeValues: table.Key{":partition": table.Text(s.partition)},
	})
	for pages.HasMorePages() {
		out, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", s.partition, err)
		}
		var page []row
		if err := attributevalue.UnmarshalListOfMaps(out.Items, &page); err != nil {
			return nil, fmt.Errorf("read %s: %w", s.partition, err)
		}
		for _, r := range page {
			all[r.Log] = r.Position
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.seen, func(log string, _ sighting) bool { _, there := all[log]; return !there })
	return all, nil
}

// Acquire takes the lease on a log that is free, that this Store holds, or whose holder
// has not written for the duration of a lease. An older lease of this Store on the log is
// lost. Acquire returns a *HeldError while another process holds the log.
func (s *Store) Acquire(ctx context.Context, log string) (*Lease, error) {
	l := &Lease{store: s, log: log, token: s.id + strconv.FormatInt(s.leases.Add(1), 10)}
	taken, err := s.write(ctx, log, s.free(log), expression.Set(holder, expression.Value(l.token)))
	if held, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return nil, s.observe(log, held.Item)
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.seen, log)
	l.position = taken.Position
	return l, nil
}

// free returns the condition under which this process can take a log.
func (s *Store) free(log string) expression.ConditionBuilder {
	free := expression.Or(expression.AttributeNotExists(holder), holder.BeginsWith(s.id))
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, there := s.seen[log]; there && time.Since(last.since) >= s.lease {
		free = free.Or(expression.And(holder.Equal(expression.Value(last.holder)), revision.Equal(expression.Value(last.revision))))
	}
	return free
}

var (
	holder   = expression.Name("holder")
	revision = expression.Name("revision")
)

// readable is the condition that no newer version of Assay has given the row another format. Otherwise the log is left to
// processes of that version, as if one of them held it.
var readable = expression.Or(
	expression.AttributeNotExists(expression.Name(platform.FormatVersion)),
	expression.Name(platform.FormatVersion).LessThanEqual(expression.Value(platform.Format)),
)

// write updates a row, its revision and its expiry if the condition holds. Other attributes remain.
func (s *Store) write(ctx context.Context, log string, condition expression.ConditionBuilder, update expression.UpdateBuilder) (row, error) {
	condition = readable.And(condition)
	update = update.Add(revision, expression.Value(1))
	if s.keep > 0 {
		update = update.Set(expression.Name(platform.ExpiresAt), expression.Value(time.Now().Add(s.keep).Unix()))
	}
	expr, err := expression.NewBuilder().WithCondition(condition).WithUpdate(update).Build()
	if err != nil {
		return row{}, fmt.Errorf("checkpoint %s: %w", log, err)
	}
	out, err := s.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: table.Key{platform.PartitionKey: table.Text(s.partition), platform.SortKey: table.Text(log)},
		ConditionExpression: expr.Condition(), UpdateExpression: expr.Update(),
		ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
		ReturnValues: types.ReturnValueAllNew, ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if err != nil {
		return row{}, fmt.Errorf("checkpoint %s: %w", log, err)
	}
	var r row
	if err := attributevalue.UnmarshalMap(out.Attributes, &r); err != nil {
		return row{}, fmt.Errorf("checkpoint %s: %w", log, err)
	}
	return r, nil
}

// observe remembers the row of another holder. It returns a *HeldError.
func (s *Store) observe(log string, item map[string]types.AttributeValue) error {
	var r row
	if err := attributevalue.UnmarshalMap(item, &r); err != nil {
		return fmt.Errorf("checkpoint %s: %w", log, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.seen[log]
	if last.holder != r.Holder || last.revision != r.Revision {
		last = sighting{r.Holder, r.Revision, time.Now()}
		s.seen[log] = last
	}
	return &HeldError{max(0, s.lease-time.Since(last.since))}
}
