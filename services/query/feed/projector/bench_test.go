package projector_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/query/changes"
	"github.com/assay-project/assay/services/query/feed/projector"
)

// measured is an engine with both tables, which syncs as in production and counts requests.
type measured struct {
	db       *dynamodb.Client
	at       table.Config
	tables   feed.Config
	platform platform.Config
	store    *feed.Store
	requests atomic.Int64
}

func measure(b *testing.B) *measured {
	b.Helper()
	engine, err := dynamolite.Open(dynamolite.Options{Path: filepath.Join(b.TempDir(), "db")})
	if err != nil {
		b.Fatal(err)
	}
	m := &measured{tables: feed.Config{Primary: "primary", Dashboard: "dashboard"}, platform: platform.Config{Table: "platform"}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.requests.Add(1)
		engine.ServeHTTP(w, r)
	}))
	b.Cleanup(func() {
		server.Close()
		if err := engine.Close(); err != nil {
			b.Error(err)
		}
	})
	m.at = table.Config{Endpoint: server.URL}
	m.db = table.Connect(tabletest.Base(), m.at)
	m.store = feed.NewStore(m.db, m.tables)
	if err := table.EnsureAll(b.Context(), m.db, append(feed.Tables(m.tables), platform.Storage(m.platform).Tables...)); err != nil {
		b.Fatal(err)
	}
	return m
}

func (m *measured) projector(cfg changes.Config, changed func([]feed.Item)) *projector.Projector {
	return projector.New(cfg, projector.Options{
		DB: m.db, Streams: table.ConnectStreams(tabletest.Base(), m.at), Tables: m.tables, Platform: m.platform,
		Log: zerolog.Nop(), Registry: prometheus.NewRegistry(), Changed: changed,
	})
}

// BenchmarkProjection projects b.N analyzed items with three tags each that are already in the
// stream. It reports the number of requests to DynamoDB per item.
func BenchmarkProjection(b *testing.B) {
	m := measure(b)
	fillPrimary(b, m.db, m.tables.Primary, b.N)
	ctx, cancel := context.WithCancel(b.Context())
	var projected atomic.Int64
	p := m.projector(changes.Config{Poll: 5 * time.Millisecond, Lease: 10 * time.Second}, func(items []feed.Item) {
		if projected.Add(int64(len(items))) >= int64(b.N) {
			cancel()
		}
	})
	m.requests.Store(0)
	b.ResetTimer()
	if err := p.Run(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(m.requests.Load())/float64(b.N), "requests/item")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "items/s")
}

// BenchmarkVisible analyzes items at a fixed rate, or as fast as the engine accepts
// them, and reports the time from the write of an item's analysis until its rows
// are written and cached responses without it are dropped. It uses the default
// settings.
func BenchmarkVisible(b *testing.B) {
	for _, perSecond := range []int{5, 50, 0} {
		b.Run(fmt.Sprintf("%d-a-second", perSecond), func(b *testing.B) { benchmarkVisible(b, perSecond) })
	}
}

const benchWriters = 16

func benchmarkVisible(b *testing.B, perSecond int) {
	m := measure(b)
	var mu sync.Mutex
	analyzed := map[string]time.Time{} // time of analysis by source id
	took := make([]time.Duration, 0, b.N)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	ended := make(chan error, 1)
	p := m.projector(changes.Config{}, func(items []feed.Item) {
		now := time.Now()
		mu.Lock()
		defer mu.Unlock()
		for _, item := range items {
			took = append(took, now.Sub(analyzed[item.SourceID]))
		}
		if len(took) == b.N {
			cancel()
		}
	})
	go func() { ended <- p.Run(ctx) }()
	var writers errgroup.Group
	writers.SetLimit(benchWriters)
	b.ResetTimer()
	pace := time.NewTicker(time.Second / time.Duration(max(perSecond, 1)))
	defer pace.Stop()
	for n := range b.N {
		if perSecond > 0 {
			<-pace.C
		}
		writers.Go(func() error {
			item, _, err := m.store.Create(b.Context(), feed.Submission{
				SourceID: fmt.Sprint("reddit#", n), SourceType: "reddit", Text: "A text.", MatchedTags: []string{"a", fmt.Sprint(n % 20), "c"},
			}.Item(time.Now()))
			if err != nil {
				return err
			}
			mu.Lock()
			analyzed[item.SourceID] = time.Now()
			mu.Unlock()
			_, err = m.store.Analyze(b.Context(), item, feed.Analysis{Sentiment: feed.Positive, Score: 0.9, Compound: 0.8, ModelVersion: "v1.0.0"})
			return err
		})
	}
	if err := errors.Join(writers.Wait(), <-ended); err != nil {
		b.Fatal(err)
	}
	slices.Sort(took)
	for _, percent := range []int{50, 90, 99} {
		b.ReportMetric(float64(took[(len(took)*percent-1)/100].Microseconds())/1e3, fmt.Sprintf("ms-p%d", percent))
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "items/s")
}

// fillPrimary writes n analyzed items of the last hour.
func fillPrimary(b *testing.B, db *dynamodb.Client, name string, n int) {
	random := rand.New(rand.NewPCG(1, 2))
	var batch []types.WriteRequest
	flush := func() {
		if len(batch) == 0 {
			return
		}
		if _, err := db.BatchWriteItem(b.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{name: batch}}); err != nil {
			b.Fatal(err)
		}
		batch = nil
	}
	for i := range n {
		at := time.Now().Add(-time.Duration(random.IntN(3600)) * time.Second)
		tag := random.IntN(20)
		item := feed.Submission{
			SourceID: fmt.Sprint("reddit#", i), SourceType: "reddit", Text: "A text of about the usual length, which is short.",
			MatchedTags: []string{fmt.Sprint("tag", tag), fmt.Sprint("tag", (tag+1)%20), fmt.Sprint("tag", (tag+7)%20)},
		}.Item(at)
		item.Status, item.Sentiment, item.Score, item.Compound, item.ModelVersion = feed.Analyzed, feed.Positive, 0.9, 0.8, "v1.0.0"
		item.AnalyzedAt = item.IngestedAt
		attributes, err := attributevalue.MarshalMap(item)
		if err != nil {
			b.Fatal(err)
		}
		if batch = append(batch, types.WriteRequest{PutRequest: &types.PutRequest{Item: attributes}}); len(batch) == 25 {
			flush()
		}
	}
	flush()
}
