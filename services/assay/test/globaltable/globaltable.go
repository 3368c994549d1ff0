// Package globaltable is a test double of DynamoDB global tables, version 2019.11.21 with eventual consistency. It
// replicates a table between engines that are empty at first, by their change streams, as the Developer Guide documents:
//
//   - Every region accepts writes. Conditions are checked in the region of the write only.
//   - A change reaches the other regions after a lag, as a write of the complete item. It has a record in their streams too.
//   - The writes of a transaction arrive one by one.
//   - If several regions write an item, the last writer wins in all of them. Deletions, by TTL too, count as writes.
//   - What a region has written while it is isolated is replicated when it returns.
//
// Unlike in DynamoDB, all changes arrive, in the order of their region, and the lag is a setting. The time of a write is
// that of its stream record, in whole seconds: of writes in the same second, one that follows a replicated write wins over
// it, and otherwise the region whose name is last. Times and versions are kept in memory, not in the items.
package globaltable

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
)

// poll is the interval between reads of the streams.
const poll = 10 * time.Millisecond

// Region is a region with a replica of the table.
type Region struct {
	Name    string
	DB      *dynamodb.Client
	Streams *dynamodbstreams.Client
}

// Options describe a global table.
type Options struct {
	Table string // name in every region; its stream must have both images
	// Lag is the time between the read of a change from a stream, within milliseconds of the write, and its replication.
	Lag     time.Duration
	Regions []Region
}

// Table is a global table. It is safe for concurrent use.
type Table struct {
	name string
	lag  time.Duration
	keys []string // names of the key attributes
	stop context.CancelFunc
	done chan struct{} // closed when replication has ended

	mu        sync.Mutex // held during a round of replication
	replicas  []*replica
	names     map[string]bool // of all attributes of all items
	conflicts map[string]int  // lost writes by key
	applied   int
	quiet     bool          // whether the last round had nothing to do in any region
	round     chan struct{} // closed at the end of a round
	err       error         // why replication has ended
}

// replica is a region, as far as its stream has been read.
type replica struct {
	Region
	isolated bool
	arn      string
	shard    *string
	iterator *string
	after    string // sequence number of the last record that was read
	items    map[string]state
	echoes   map[string][]echo // expected records of replicated writes, by key
	inbox    []change          // changes of other regions
	failure  error             // of the last read or write; nil after a success
}

// Start begins to replicate. The caller must call Close.
func Start(ctx context.Context, o Options) (*Table, error) {
	t := &Table{
		name: o.Table, lag: o.Lag, done: make(chan struct{}), names: map[string]bool{}, conflicts: map[string]int{}, round: make(chan struct{}),
	}
	for _, region := range o.Regions {
		described, err := region.DB.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &t.name})
		if err != nil {
			return nil, fmt.Errorf("describe %s in %s: %w", t.name, region.Name, err)
		}
		stream := described.Table.StreamSpecification
		if stream == nil || stream.StreamViewType != types.StreamViewTypeNewAndOldImages {
			return nil, fmt.Errorf("%s in %s has no stream with both images", t.name, region.Name)
		}
		t.keys = nil
		for _, key := range described.Table.KeySchema {
			t.keys = append(t.keys, *key.AttributeName)
		}
		r := &replica{Region: region, arn: aws.ToString(described.Table.LatestStreamArn), items: map[string]state{}, echoes: map[string][]echo{}}
		if err := r.open(ctx); err != nil {
			return nil, err
		}
		t.replicas = append(t.replicas, r)
	}
	ctx, t.stop = context.WithCancel(context.WithoutCancel(ctx))
	go t.run(ctx)
	return t, nil
}

// Close ends replication. It returns an error if replication has failed before, because a stream has dropped changes.
func (t *Table) Close() error {
	t.stop()
	<-t.done
	return t.err
}

// SetLag changes the lag of changes that are read later.
func (t *Table) SetLag(lag time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lag = lag
}

// Isolate stops replication from and to a region. When it returns, nothing of the region arrives in others any more.
func (t *Table) Isolate(region string) { t.isolate(region, true) }

// Rejoin continues replication from and to a region, with all changes since it was isolated.
func (t *Table) Rejoin(region string) { t.isolate(region, false) }

func (t *Table) isolate(region string, isolated bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.quiet = false
	for _, r := range t.replicas {
		if r.Name == region {
			r.isolated = isolated
		}
	}
}

// Stats are counts since the start.
type Stats struct {
	Applied   int            // writes that were made in another region
	Waiting   int            // changes that were read and wait for a region
	Conflicts map[string]int // writes that lost to a concurrent write of another region, by the key of the item
}

// Stats returns the counts since the start.
func (t *Table) Stats() Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := Stats{Applied: t.applied, Conflicts: map[string]int{}}
	for key, lost := range t.conflicts {
		s.Conflicts[key] = lost
	}
	for _, r := range t.replicas {
		s.Waiting += len(r.inbox)
	}
	return s
}

// Settled waits until every region has all changes of the others. It returns an error if ctx is done before, or if
// replication has ended.
func (t *Table) Settled(ctx context.Context) error {
	for range 2 { // the round in progress may have read a stream before the last write
		if err := t.quietRound(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) quietRound(ctx context.Context) error {
	for {
		t.mu.Lock()
		round := t.round
		t.mu.Unlock()
		select {
		case <-round:
		case <-t.done:
			return errors.Join(fmt.Errorf("the replication of %s has ended", t.name), t.err)
		case <-ctx.Done():
			return errors.Join(ctx.Err(), t.failures())
		}
		t.mu.Lock()
		quiet := t.quiet
		t.mu.Unlock()
		if quiet {
			return nil
		}
	}
}

func (t *Table) failures() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []error
	for _, r := range t.replicas {
		if r.failure != nil {
			all = append(all, fmt.Errorf("%s in %s: %w", t.name, r.Name, r.failure))
		}
	}
	return errors.Join(all...)
}

// run replicates until ctx is done, or a stream has dropped changes.
func (t *Table) run(ctx context.Context) {
	defer close(t.done)
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for t.err == nil {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			t.err = t.replicate(ctx)
		}
	}
}

// replicate reads all streams and applies the changes whose lag has passed.
func (t *Table) replicate(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	quiet := true
	for _, r := range t.replicas {
		if r.isolated {
			quiet = false
			continue
		}
		read, err := t.read(ctx, r)
		if err != nil {
			return err
		}
		quiet = quiet && read == 0 && r.failure == nil
	}
	for _, r := range t.replicas {
		if !r.isolated {
			t.applyDue(ctx, r)
		}
		quiet = quiet && len(r.inbox) == 0
	}
	t.quiet = quiet
	close(t.round)
	t.round = make(chan struct{})
	return nil
}

// isolated reports whether the region with this name is isolated.
func (t *Table) isolated(name string) bool {
	for _, r := range t.replicas {
		if r.Name == name {
			return r.isolated
		}
	}
	return false
}
