package projector_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/query/projector"
)

// BenchmarkProjection projects b.N analyzed items, of three tags each, that lie in
// the stream already, with an engine that syncs as in production. It reports the
// requests to DynamoDB that an item costs.
func BenchmarkProjection(b *testing.B) {
	engine, err := dynamolite.Open(dynamolite.Options{Path: filepath.Join(b.TempDir(), "db")})
	if err != nil {
		b.Fatal(err)
	}
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		engine.ServeHTTP(w, r)
	}))
	b.Cleanup(func() {
		server.Close()
		if err := engine.Close(); err != nil {
			b.Error(err)
		}
	})
	at, tables := table.Config{Endpoint: server.URL}, feed.Config{Primary: "primary", Dashboard: "dashboard"}
	db := table.Connect(tabletest.Base(), at)
	if err := errors.Join(feed.NewStore(db, tables).Ensure(b.Context()), feed.NewDashboard(db, tables).Ensure(b.Context())); err != nil {
		b.Fatal(err)
	}
	fillPrimary(b, db, tables.Primary, b.N)
	ctx, cancel := context.WithCancel(b.Context())
	var projected atomic.Int64
	p := projector.New(benchConfig, projector.Options{
		DB: db, Streams: table.ConnectStreams(tabletest.Base(), at), Tables: tables, Log: zerolog.Nop(), Registry: prometheus.NewRegistry(),
		Changed: func(items []feed.Item) {
			if projected.Add(int64(len(items))) >= int64(b.N) {
				cancel()
			}
		},
	})
	requests.Store(0)
	b.ResetTimer()
	if err := p.Run(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(requests.Load())/float64(b.N), "requests/item")
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
			SourceID: fmt.Sprint("reddit#", i), SourceType: "reddit", Text: "A text of about the length that texts have here, which is not much.",
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

var benchConfig = projector.Config{Poll: 5 * time.Millisecond, Lease: 10 * time.Second}
