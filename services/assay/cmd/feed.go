package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newFeed(s *settings) *cobra.Command {
	return group(&cobra.Command{Use: "feed", Short: "Read and manage the feed"},
		newFeedList(s), newFeedShow(s), newSources(s), newReanalyze(s), newRebuild(s))
}

// feedItems describes the analyzed items of the feed.
func (s *settings) feedItems() item[client.FeedItem] {
	return item[client.FeedItem]{
		settings: s, connect: s.client, none: "No items.",
		heads: []any{"INGESTED", "ID", "SENTIMENT", "SCORE", "LANGUAGE", "TEXT"},
		cells: func(i client.FeedItem) []any {
			sentiment := i.Sentiment
			if !i.Rated() {
				sentiment = "not rated"
			}
			score := fmt.Sprintf("%.2f", i.Score)
			return []any{dateTime(i.IngestedAt), i.SourceID, sentiment, score, i.Language, i.TextSnippet}
		},
		fields: feedItemFields,
	}
}

func newFeedList(s *settings) *cobra.Command {
	var listing client.FeedListing
	cmd := &cobra.Command{
		Use: "list", Short: "List analyzed items, newest first",
		Long: `List analyzed items, newest first; with --sentiment, the highest score first. Only
English is rated: items in other languages are neutral.`,
	}
	flags := cmd.Flags()
	flags.IntVar(&listing.Hours, "hours", 24, "number of past hours to list, up to 168")
	flags.StringVar(&listing.SourceType, "source-type", "", "only items of this source type: newsapi, twitter, reddit or rss")
	flags.StringVar(&listing.Sentiment, "sentiment", "", "only items of this sentiment: positive, neutral or negative")
	flags.StringVar(&listing.Tag, "tag", "", "only items with this tag")
	flags.IntVar(&listing.Limit, "limit", 20, "maximum number of items to list, up to 1000")
	oneOfFlag(cmd, "source-type", "newsapi", "twitter", "reddit", "rss")
	oneOfFlag(cmd, "sentiment", "positive", "neutral", "negative")
	cmd.PreRunE = func(*cobra.Command, []string) error { return within("--limit", listing.Limit, 1000) }
	return s.feedItems().newPage(cmd, "raise --limit or use a filter",
		func(ctx context.Context, c *client.Client) ([]client.FeedItem, bool, error) {
			return c.FeedItems(ctx, listing)
		})
}

func newFeedShow(s *settings) *cobra.Command {
	return s.feedItems().newShow(&cobra.Command{
		Use: "show ID", Short: "Show an item with its sentiment", Example: "  assay feed show 'reddit#abc'",
	}, (*client.Client).FeedItem)
}

func feedItemFields(t *columns, i client.FeedItem) {
	t.field("item", i.SourceID)
	t.field("ingested", dateTime(i.IngestedAt))
	t.field("published", dateTime(i.PublishedAt))
	t.field("status", i.Status)
	t.field("error", i.ErrorMessage)
	t.field("sentiment",
		fmt.Sprintf("%s, score %.2f, compound %.4f, by model %s", i.Sentiment, i.Score, i.Compound, i.ModelVersion))
	language := i.Language
	if !i.Rated() {
		language += " (only English is rated)"
	}
	t.field("language", language)
	t.field("tags", strings.Join(i.MatchedTags, ", "))
	t.field("url", i.SourceURL)
	t.field("text", i.TextSnippet)
}
