package globaltable_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/assay/test/globaltable"
)

// name is the name of the table in tests.
const name = "items"

// soon is the timeout of every wait.
const soon = 30 * time.Second

// region is an engine whose clock a test sets.
type region struct {
	globaltable.Region
	engine *dynamolite.Engine
	now    atomic.Int64 // epoch seconds
}

// world is a table in the regions a and b.
type world struct {
	t    *testing.T
	a, b *region
	*globaltable.Table
}

// open starts two engines, with clocks at the second 100, that replicate a table with TTL.
func open(t *testing.T, lag time.Duration) *world {
	t.Helper()
	w := &world{t: t, a: start(t, "a"), b: start(t, "b")}
	global, err := globaltable.Start(t.Context(), globaltable.Options{Table: name, Lag: lag, Regions: []globaltable.Region{w.a.Region, w.b.Region}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := global.Close(); err != nil {
			t.Error(err)
		}
	})
	w.Table = global
	return w
}

func start(t *testing.T, regionName string) *region {
	t.Helper()
	r := &region{}
	r.now.Store(100)
	engine, err := dynamolite.Open(dynamolite.Options{
		Clock: func() time.Time { return time.Unix(r.now.Load(), 0) }, SweepInterval: -1, OnError: func(err error) { t.Logf("%s: %v", regionName, err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(engine)
	t.Cleanup(func() {
		server.Close()
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	at := table.Config{Endpoint: server.URL}
	once := func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }
	r.engine = engine
	r.Region = globaltable.Region{Name: regionName, DB: dynamodb.New(table.Connect(tabletest.Base(), at).Options(), once), Streams: table.ConnectStreams(tabletest.Base(), at)}
	attribute := types.AttributeDefinition{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}
	err = table.EnsureAll(t.Context(), r.DB, []table.Schema{{TTL: "expires", Create: &dynamodb.CreateTableInput{
		TableName: aws.String(name), BillingMode: types.BillingModePayPerRequest, AttributeDefinitions: []types.AttributeDefinition{attribute},
		KeySchema:           []types.KeySchemaElement{{AttributeName: attribute.AttributeName, KeyType: types.KeyTypeHash}},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func key(id string) table.Key { return table.Key{"id": table.Text(id)} }

// put writes an item at a time of the region's clock.
func (r *region) put(t *testing.T, at int64, id, value string) {
	t.Helper()
	r.now.Store(at)
	_, err := r.DB.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(name), Item: table.Key{"id": table.Text(id), "value": table.Text(value)}})
	if err != nil {
		t.Fatal(err)
	}
}

// remove deletes an item at a time of the region's clock.
func (r *region) remove(t *testing.T, at int64, id string) {
	t.Helper()
	r.now.Store(at)
	if _, err := r.DB.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(name), Key: key(id)}); err != nil {
		t.Fatal(err)
	}
}

// values returns the values of all items by id.
func (r *region) values(t *testing.T) map[string]string {
	t.Helper()
	out, err := r.DB.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(name), ConsistentRead: aws.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, row := range out.Items {
		all[table.TextOf(row["id"])] = table.TextOf(row["value"])
	}
	return all
}

// records returns all records of a region's stream.
func (r *region) records(t *testing.T) []streams.Record {
	t.Helper()
	listed, err := r.Streams.ListStreams(t.Context(), &dynamodbstreams.ListStreamsInput{TableName: aws.String(name)})
	if err != nil {
		t.Fatal(err)
	}
	arn := listed.Streams[0].StreamArn
	described, err := r.Streams.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	if err != nil {
		t.Fatal(err)
	}
	at, err := r.Streams.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{
		StreamArn: arn, ShardId: described.StreamDescription.Shards[0].ShardId, ShardIteratorType: streams.ShardIteratorTypeTrimHorizon,
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.Streams.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: at.ShardIterator})
	if err != nil {
		t.Fatal(err)
	}
	return out.Records
}

// settle waits until both regions are equal, and checks what they contain.
func (w *world) settle(want map[string]string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), soon)
	defer cancel()
	if err := w.Settled(ctx); err != nil {
		w.t.Fatal(err)
	}
	for _, r := range []*region{w.a, w.b} {
		if got := r.values(w.t); fmt.Sprint(got) != fmt.Sprint(want) {
			w.t.Errorf("%s contains %v, want %v", r.Name, got, want)
		}
	}
}

// eventually calls look until it returns nil.
func eventually(t *testing.T, look func() error) {
	t.Helper()
	late := time.After(soon)
	tick := time.NewTicker(5 * time.Millisecond)
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

// has returns an error unless a region contains this number of items.
func (r *region) has(t *testing.T, n int) error {
	t.Helper()
	if got := len(r.values(t)); got != n {
		return errors.New(r.Name + " contains " + fmt.Sprint(got) + " items, want " + fmt.Sprint(n))
	}
	return nil
}
