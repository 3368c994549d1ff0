package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

const (
	watchedTags  = 50
	fillParallel = 16
	fillBatch    = 500 // items per Apply
	fillPasses   = 5
	writeBatch   = 25 // DynamoDB's limit per BatchWriteItem
)

// fill writes items into an engine that does not sync.
func fill(ctx context.Context, folder string, items int, primary bool, out io.Writer) error {
	engine, err := listen(folder, dynamolite.SyncNever)
	if err != nil {
		return err
	}
	err = fillTables(ctx, engine, items, primary, out)
	return errors.Join(err, engine.close())
}

func fillTables(ctx context.Context, engine *engine, items int, primary bool, out io.Writer) error {
	board := dashboard.New(engine.db, tables)
	if err := table.EnsureAll(ctx, engine.db, feed.Tables(tables)); err != nil {
		return err
	}
	began, written := time.Now(), atomic.Int64{}
	filling, ctx := errgroup.WithContext(ctx)
	filling.SetLimit(fillParallel)
	random := rand.New(rand.NewPCG(1, 2))
	// The items are written in several passes over the 7 days.
	for pass := range min(fillPasses, items) {
		for from := pass; from < items; from += fillBatch * fillPasses {
			batch := make([]feed.Item, 0, fillBatch)
			for n := from; n < min(from+fillBatch*fillPasses, items); n += fillPasses {
				age := time.Duration(float64(7*24*time.Hour-time.Minute) * float64(items-n) / float64(items))
				batch = append(batch, item(random, n, began.Add(-age-30*time.Second)))
			}
			filling.Go(func() error {
				if primary {
					if err := putAll(ctx, engine.db, batch); err != nil {
						return err
					}
				}
				images := make([]dashboard.Image, len(batch))
				for i, item := range batch {
					images[i] = dashboard.Image{Item: item}
				}
				if err := board.Apply(ctx, images...); err != nil {
					return err
				}
				if n := written.Add(int64(len(batch))); n%100_000 < fillBatch {
					fmt.Fprintf(out, "%d items after %s\n", n, time.Since(began).Round(time.Second))
				}
				return nil
			})
		}
	}
	return filling.Wait()
}

// putAll writes items into the primary table.
func putAll(ctx context.Context, db *dynamodb.Client, items []feed.Item) error {
	for chunk := range slices.Chunk(items, writeBatch) {
		var puts []types.WriteRequest
		for _, item := range chunk {
			attributes, err := attributevalue.MarshalMap(item)
			if err != nil {
				return err
			}
			puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: attributes}})
		}
		for left := map[string][]types.WriteRequest{tables.Primary: puts}; len(left) > 0; {
			out, err := db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: left})
			if err != nil {
				return err
			}
			left = out.UnprocessedItems
		}
	}
	return nil
}

// tag returns the name of a watched tag. Lower numbers are more frequent, by Zipf's law.
func tag(n int) string { return fmt.Sprintf("tag %d", n) }

var words = strings.Fields("markets rally regulators announce sweeping framework after months of talks the new rules will require transparency critics warn that costs may rise while others welcome a long awaited step")

// item returns a synthetic item with 1 to 3 tags and a text of 100 to 200 characters.
func item(random *rand.Rand, n int, at time.Time) feed.Item {
	var text strings.Builder
	for length := 100 + random.IntN(100); text.Len() < length; {
		text.WriteString(words[random.IntN(len(words))] + " ")
	}
	i := feed.Submission{
		SourceID: fmt.Sprintf("newsapi#article-%08d", n), SourceType: "newsapi", SourceURL: fmt.Sprintf("https://www.example.com/news/article-%08d", n), Text: text.String(),
	}.Item(at)
	for range 1 + random.IntN(3) {
		if t := tag(int(math.Pow(watchedTags, random.Float64())) - 1); !slices.Contains(i.MatchedTags, t) {
			i.MatchedTags = append(i.MatchedTags, t)
		}
	}
	i.Compound = math.Round((random.Float64()*2-1)*1e4) / 1e4
	switch {
	case i.Compound >= 0.05:
		i.Sentiment = feed.Positive
	case i.Compound <= -0.05:
		i.Sentiment = feed.Negative
	default:
		i.Sentiment = feed.Neutral
	}
	i.Status, i.ModelVersion, i.AnalyzedAt = feed.Analyzed, "v1.0.0", at.UTC().Format(feed.TimeLayout)
	i.Score = math.Round((0.5+math.Abs(i.Compound)/2)*1e5) / 1e5
	return i
}
