package dashboard_test

import (
	"context"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// gate is a reader of the table that counts its reads and, separately, those that are strongly consistent.
type gate struct {
	table.Reader
	passed, strong, gets atomic.Int64
}

func (g *gate) Query(ctx context.Context, in *dynamodb.QueryInput, options ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	g.count(aws.ToBool(in.ConsistentRead))
	return g.Reader.Query(ctx, in, options...)
}

func (g *gate) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	g.gets.Add(1)
	for _, of := range in.RequestItems {
		g.count(aws.ToBool(of.ConsistentRead))
	}
	return g.Reader.BatchGetItem(ctx, in, options...)
}

func (g *gate) count(strong bool) {
	if g.passed.Add(1); strong {
		g.strong.Add(1)
	}
}

// TestReadsThroughACache checks that each read of the dashboard uses the cache and returns the same
// result as without it, and that strongly consistent reads and writes bypass the cache.
func TestReadsThroughACache(t *testing.T) {
	db, _, direct := open(t)
	cache := &gate{Reader: db}
	cached := direct.Through(cache)
	now := time.Now()
	for n := range 40 {
		item := analyzed(n, now.Add(-time.Duration(n)*time.Hour), feed.Positive, 0.9, 0.5, "a", "b")
		show(t, cached, item)
	}
	cache.passed.Store(0)
	show(t, direct, analyzed(99, now, feed.Negative, 0.9, -0.5, "a"))
	if n := cache.passed.Load(); n != 0 {
		t.Errorf("got %d reads through the cache, want 0", n)
	}
	for name, read := range map[string]func(*dashboard.Dashboard) (any, error){
		"list": func(d *dashboard.Dashboard) (any, error) {
			return d.List(t.Context(), dashboard.Listing{Hours: 24, Limit: 5})
		},
		"by tag": func(d *dashboard.Dashboard) (any, error) {
			return d.List(t.Context(), dashboard.Listing{Hours: 24, Limit: 5, Tag: "a"})
		},
		"by sentiment": func(d *dashboard.Dashboard) (any, error) {
			return d.List(t.Context(), dashboard.Listing{Hours: 24, Limit: 5, Sentiment: feed.Positive})
		},
		"summary": func(d *dashboard.Dashboard) (any, error) {
			sum, err := d.Summary(t.Context(), dashboard.Query{Hours: 24})
			sum.UpdatedAt = time.Time{}
			return sum, err
		},
		"series": func(d *dashboard.Dashboard) (any, error) {
			return d.Series(t.Context(), dashboard.Query{Hours: 24}, time.Hour)
		},
	} {
		cache.passed.Store(0)
		got, err := read(cached)
		if err != nil || cache.passed.Load() == 0 {
			t.Errorf("%s: got %d reads through the cache, error %v, want at least 1", name, cache.passed.Load(), err)
		}
		if n := len(all(t, direct, dashboard.Listing{Hours: 24, Limit: 5})); n < 20 {
			t.Fatalf("got a list of %d rows, want at least 20", n)
		}
		if want, err := read(direct); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v through the cache, want %+v (error %v)", name, got, want, err)
		}
	}
	if cache.gets.Load() == 0 {
		t.Error("got no reads by key through the cache, want at least 1")
	}
	if n := cache.strong.Load(); n != 0 {
		t.Errorf("got %d strongly consistent reads through the cache, want 0", n)
	}
}
