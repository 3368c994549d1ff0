package cmd

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newFeedList(s *settings) *cobra.Command {
	var listing client.FeedListing
	cmd := &cobra.Command{
		Use: "list", Short: "List analyzed items, newest first",
		Long: `List analyzed items, newest first; with --sentiment, the highest score first. Only
English is rated: items in other languages are neutral.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := within("--limit", listing.Limit, 1000); err != nil {
				return err
			}
			c, err := s.client()
			if err != nil {
				return err
			}
			items, more, err := c.FeedItems(cmd.Context(), listing)
			if err != nil {
				return err
			}
			if err := s.writeFeedItems(cmd.OutOrStdout(), items); err != nil {
				return err
			}
			if more {
				note(cmd.ErrOrStderr(), "There are more; raise --limit or use a filter.")
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&listing.Hours, "hours", 24, "number of past hours to list, up to 168")
	flags.StringVar(&listing.SourceType, "source-type", "", "only items of this source type: newsapi, twitter, reddit or rss")
	flags.StringVar(&listing.Sentiment, "sentiment", "", "only items of this sentiment: positive, neutral or negative")
	flags.StringVar(&listing.Tag, "tag", "", "only items with this tag")
	flags.IntVar(&listing.Limit, "limit", 20, "maximum number of items to list, up to 1000")
	return cmd
}

func (s *settings) writeFeedItems(w io.Writer, items []client.FeedItem) error {
	var out strings.Builder
	if len(items) > 0 {
		out.WriteString("INGESTED\tID\tSENTIMENT\tSCORE\tLANGUAGE\tTEXT\n")
	}
	for _, item := range items {
		if s.json {
			if err := writeJSON(w, item); err != nil {
				return err
			}
			continue
		}
		sentiment := item.Sentiment
		if !item.Rated() {
			sentiment = "not rated"
		}
		fmt.Fprintf(&out, "%s\t%s\t%s\t%.2f\t%s\t%s\n", item.IngestedAt.Local().Format(time.DateTime), shown(item.SourceID), sentiment, item.Score, item.Language, shown(item.TextSnippet))
	}
	if s.json {
		return nil
	}
	return writeTable(w, out.String())
}

func newFeedShow(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show an item with its sentiment", Args: cobra.ExactArgs(1),
		Example: "  assay feed show 'reddit#abc'",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
			item, err := c.FeedItem(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if s.json {
				return writeJSON(cmd.OutOrStdout(), item)
			}
			return writeFeedItem(cmd.OutOrStdout(), item)
		},
	}
}

// writeFeedItem writes the fields of an item as readable text.
func writeFeedItem(w io.Writer, i client.FeedItem) error {
	var out strings.Builder
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&out, "%s\t%s\n", name, shown(value))
		}
	}
	row("item", i.SourceID)
	row("ingested", i.IngestedAt.Local().Format(time.DateTime))
	if !i.PublishedAt.IsZero() {
		row("published", i.PublishedAt.Local().Format(time.DateTime))
	}
	row("status", i.Status)
	row("error", i.ErrorMessage)
	row("sentiment", fmt.Sprintf("%s, score %.2f, compound %.4f, by model %s", i.Sentiment, i.Score, i.Compound, i.ModelVersion))
	language := i.Language
	if !i.Rated() {
		language += " (only English is rated)"
	}
	row("language", language)
	row("tags", strings.Join(i.MatchedTags, ", "))
	row("url", i.SourceURL)
	row("text", i.TextSnippet)
	return writeTable(w, out.String())
}
