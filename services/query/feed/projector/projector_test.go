package projector_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/checkpoint"
	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/query/changes"
	"github.com/assay-project/assay/services/query/feed/dashboard"
	"github.com/assay-project/assay/services/query/feed/projector"
)

// bench contains both tables in a new engine.
type bench struct {
	db        *dynamodb.Client
	streams   *dynamodbstreams.Client
	faults    *dynamolite.Faults
	tables    feed.Config
	platform  platform.Config
	store     *feed.Store
	dashboard *dashboard.Dashboard
	logged    func(line string) // called with every line of the log
}

func open(t *testing.T) *bench {
	t.Helper()
	b := &bench{tables: feed.Config{Primary: "primary", Dashboard: "dashboard"}, platform: platform.Config{Table: "platform"}, logged: func(string) {}}
	b.db, b.streams, b.faults = tabletest.StartStreams(t)
	b.store, b.dashboard = feed.NewStore(b.db, b.tables), dashboard.New(b.db, b.tables)
	if err := table.EnsureAll(t.Context(), b.db, append(feed.Tables(b.tables), platform.Storage(b.platform).Tables...)); err != nil {
		t.Fatal(err)
	}
	return b
}

// start runs a projector until stop is called; stop waits until it has ended.
func (b *bench) start(t *testing.T, changed func([]feed.Item)) (registry *prometheus.Registry, stop func()) {
	t.Helper()
	registry = prometheus.NewRegistry()
	p := projector.New(changes.Config{Poll: 5 * time.Millisecond, Lease: time.Second}, projector.Options{
		DB: b.db, Streams: b.streams, Tables: b.tables, Platform: b.platform, Registry: registry, Changed: changed,
		Log: zerolog.New(zerolog.NewTestWriter(t)).Hook(zerolog.HookFunc(func(_ *zerolog.Event, _ zerolog.Level, line string) { b.logged(line) })),
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	return registry, stop
}

// add creates an analyzed item.
func (b *bench) add(t *testing.T, n int, tags ...string) feed.Item {
	t.Helper()
	item := feed.Submission{SourceID: "reddit#" + strconv.Itoa(n), SourceType: "reddit", MatchedTags: tags}.Item(time.Now())
	item, _, err := b.store.Create(t.Context(), item)
	if err == nil {
		item, err = b.store.Analyze(t.Context(), item, feed.Analysis{Sentiment: feed.Positive, Score: 0.9, Compound: 0.8, ModelVersion: "v1.0.0"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return item
}

// shown returns the source ids of a list, sorted.
func (b *bench) shown(ctx context.Context, tag string) ([]string, error) {
	page, err := b.dashboard.List(ctx, dashboard.Listing{Hours: 1, Tag: tag, Limit: 1000})
	var ids []string
	for _, row := range page.Rows {
		ids = append(ids, row.SourceID)
	}
	slices.Sort(ids)
	return ids, err
}

// await waits until a list has these items.
func (b *bench) await(t *testing.T, tag string, want ...string) {
	t.Helper()
	eventually(t, func() error {
		got, err := b.shown(t.Context(), tag)
		if err == nil && !slices.Equal(got, want) {
			err = fmt.Errorf("the list of %q is %v, want %v", tag, got, want)
		}
		return err
	})
}

func eventually(t *testing.T, look func() error) {
	t.Helper()
	late := time.After(30 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := look()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatal(err)
		}
	}
}

func TestAnalyzedItemsAreShown(t *testing.T) {
	b := open(t)
	changed := make(chan []feed.Item, 100)
	_, stop := b.start(t, func(items []feed.Item) { changed <- items })
	defer stop()
	item := b.add(t, 1, "a", "b")
	b.await(t, "", "reddit#1")
	b.await(t, "a", "reddit#1")
	b.await(t, "b", "reddit#1")
	if items := <-changed; len(items) != 1 || items[0].SourceID != "reddit#1" {
		t.Errorf("got notifications %+v, want reddit#1", items)
	}
	if _, err := b.store.AddTags(t.Context(), item, []string{"c"}); err != nil {
		t.Fatal(err)
	}
	b.await(t, "c", "reddit#1")
	pending := feed.Submission{SourceID: "reddit#2", SourceType: "reddit", MatchedTags: []string{"a"}}.Item(time.Now())
	if _, _, err := b.store.Create(t.Context(), pending); err != nil {
		t.Fatal(err)
	}
	b.add(t, 3, "a")
	b.await(t, "a", "reddit#1", "reddit#3")
	b.await(t, "", "reddit#1", "reddit#3")
}

// remove deletes an item from the primary table.
func (b *bench) remove(t *testing.T, item feed.Item) {
	t.Helper()
	if _, err := b.db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &b.tables.Primary, Key: map[string]types.AttributeValue{
		"source_id": &types.AttributeValueMemberS{Value: item.SourceID}, "ingested_at": &types.AttributeValueMemberS{Value: item.IngestedAt},
	}}); err != nil {
		t.Fatal(err)
	}
}

func TestRemovedItemsAreHidden(t *testing.T) {
	b := open(t)
	_, stop := b.start(t, nil)
	defer stop()
	item := b.add(t, 1, "a", "b")
	b.await(t, "b", "reddit#1")
	b.remove(t, item)
	for _, list := range []string{"", "a", "b"} {
		b.await(t, list)
	}
}

// Changes made while no projector runs are projected later, and projected changes are not projected
// again.
func TestRestartResumesAtTheCheckpoint(t *testing.T) {
	b := open(t)
	first, stop := b.start(t, nil)
	b.add(t, 1, "a")
	b.await(t, "a", "reddit#1")
	eventually(t, func() error { return counts(first, "assay_projection_changes_total", 2) })
	stop()
	b.add(t, 2, "a")
	second, stop := b.start(t, nil)
	defer stop()
	b.await(t, "a", "reddit#1", "reddit#2")
	eventually(t, func() error { return counts(second, "assay_projection_changes_total", 2) })
}

// Only one of several projectors reads a shard. When it stops, another one continues.
func TestProjectorsShareTheWork(t *testing.T) {
	b := open(t)
	first, stopFirst := b.start(t, nil)
	b.add(t, 1, "a")
	b.await(t, "a", "reddit#1")
	eventually(t, func() error { return counts(first, "assay_projection_changes_total", 2) })
	second, stopSecond := b.start(t, nil)
	defer stopSecond()
	b.add(t, 2, "a")
	b.await(t, "a", "reddit#1", "reddit#2")
	eventually(t, func() error { return counts(first, "assay_projection_changes_total", 4) })
	if err := counts(second, "assay_projection_changes_total", 0); err != nil {
		t.Error(err)
	}
	stopFirst()
	b.add(t, 3, "a")
	b.await(t, "a", "reddit#1", "reddit#2", "reddit#3")
	eventually(t, func() error { return counts(second, "assay_projection_changes_total", 2) })
}

// A change that cannot be projected is stored and counted, and later changes are projected.
func TestUnreadableRecordsAreSetAside(t *testing.T) {
	b := open(t)
	registry, stop := b.start(t, nil)
	defer stop()
	if _, err := b.db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &b.tables.Primary, Item: map[string]types.AttributeValue{
		"source_id": &types.AttributeValueMemberS{Value: "reddit#bad"}, "ingested_at": &types.AttributeValueMemberS{Value: "today"},
	}}); err != nil {
		t.Fatal(err)
	}
	b.add(t, 1, "a")
	b.await(t, "a", "reddit#1")
	if err := counts(registry, "assay_projection_poison_total", 1); err != nil {
		t.Error(err)
	}
	out, err := b.db.Query(t.Context(), &dynamodb.QueryInput{
		TableName: &b.tables.Dashboard, KeyConditionExpression: aws.String("day_partition = :p"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":p": &types.AttributeValueMemberS{Value: "projector#poison"}},
	})
	if err != nil || len(out.Items) != 1 {
		t.Fatalf("got %d changes set aside, error %v, want 1", len(out.Items), err)
	}
	image, ok := out.Items[0]["new_image"].(*types.AttributeValueMemberM)
	if !ok || image.Value["source_id"].(*types.AttributeValueMemberS).Value != "reddit#bad" || out.Items[0]["reason"] == nil || out.Items[0]["expires_at"] == nil {
		t.Errorf("got the change %v, want reddit#bad with a reason and an expiry", out.Items[0])
	}
}

// TestCheckpointOfAnotherStream checks that a checkpoint of another stream, such as one that was copied from another region,
// is not used although its shard has the same name, and that it is replaced by one of this stream.
func TestCheckpointOfAnotherStream(t *testing.T) {
	b := open(t)
	described, err := b.db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &b.tables.Primary})
	if err != nil {
		t.Fatal(err)
	}
	arn := *described.Table.LatestStreamArn
	stream, err := b.streams.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: &arn})
	if err != nil {
		t.Fatal(err)
	}
	shard := *stream.StreamDescription.Shards[0].ShardId
	checkpoints := checkpoint.New(b.db, checkpoint.Options{Table: b.platform, Projection: "feed", Lease: time.Second})
	lease, err := checkpoints.Acquire(t.Context(), shard)
	if err != nil {
		t.Fatal(err)
	}
	foreign := checkpoint.Position{After: "100000000000000000999", Done: true, Stream: arn + "-of-another-region"}
	if err := errors.Join(lease.Save(t.Context(), foreign), lease.Release(t.Context())); err != nil {
		t.Fatal(err)
	}
	b.add(t, 1, "a")
	_, stop := b.start(t, nil)
	defer stop()
	b.await(t, "a", "reddit#1")
	eventually(t, func() error {
		positions, err := checkpoints.Positions(t.Context())
		if at := positions[shard]; err == nil && (at.Stream != arn || at.Done || at.After == foreign.After) {
			err = fmt.Errorf("the checkpoint is %+v, want one of %s", at, arn)
		}
		return err
	})
}

// An item whose rows the table rejects is set aside alone; the other items of its
// batch are shown and counted.
func TestRejectedItemsAreSetAside(t *testing.T) {
	b := open(t)
	b.add(t, 1, "a")
	b.add(t, 2, strings.Repeat("this is too long for a key ", 50))
	b.add(t, 3, "a")
	registry, stop := b.start(t, nil)
	defer stop()
	b.await(t, "", "reddit#1", "reddit#3")
	eventually(t, func() error { return counts(registry, "assay_projection_poison_total", 1) })
	summary, err := b.dashboard.Summary(t.Context(), dashboard.Query{Hours: 1})
	if err != nil || summary.Total != 2 || !slices.Equal(summary.Tags, []dashboard.TagCount{{Tag: "a", Count: 2}}) {
		t.Errorf("got %+v, error %v, want total 2 and the tag a with the count 2", summary, err)
	}
}

// Engine failures delay changes but do not lose them, and are visible as lag.
func TestFailuresAreRetried(t *testing.T) {
	for name, kind := range map[string]dynamolite.FaultKind{"before the write": dynamolite.ErrorBefore, "after the write": dynamolite.ErrorAfter} {
		t.Run(name, func(t *testing.T) {
			b := open(t)
			failed := make(chan struct{})
			var once sync.Once
			b.logged = func(line string) {
				if strings.HasPrefix(line, "cannot read a shard") {
					once.Do(func() { close(failed) })
				}
			}
			registry, stop := b.start(t, nil)
			defer stop()
			heal := b.faults.Add(dynamolite.Fault{Operation: "TransactWriteItems", Kind: kind})
			b.add(t, 1, "a")
			eventually(t, func() error {
				lag, err := gauge(registry, "assay_projection_lag_seconds")
				if err == nil && lag < 0.5 {
					err = fmt.Errorf("got lag %v, want at least 0.5", lag)
				}
				return err
			})
			select {
			case <-failed: // the failure reached the reader of the shard, despite the retries of each request
			case <-time.After(time.Minute):
				t.Error("the projector did not report the failed write")
			}
			heal()
			b.await(t, "a", "reddit#1")
			eventually(t, func() error {
				lag, err := gauge(registry, "assay_projection_lag_seconds")
				if err == nil && lag > 0.4 {
					err = fmt.Errorf("got lag %v, want at most 0.4", lag)
				}
				return err
			})
		})
	}
}

func counts(registry *prometheus.Registry, name string, want float64) error {
	got, err := gauge(registry, name)
	if err == nil && got != want {
		err = fmt.Errorf("%s is %v, want %v", name, got, want)
	}
	return err
}

func gauge(registry *prometheus.Registry, name string) (float64, error) {
	families, err := registry.Gather()
	if err != nil {
		return 0, err
	}
	for _, family := range families {
		if family.GetName() == name {
			metric := family.GetMetric()[0]
			return metric.GetCounter().GetValue() + metric.GetGauge().GetValue(), nil
		}
	}
	return 0, fmt.Errorf("the registry has no metric %s", name)
}
