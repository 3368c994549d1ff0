package cmd

import (
	"cmp"
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

func newSources(s *settings) *cobra.Command {
	sources := item[client.FeedSource]{
		settings: s, connect: s.operatorClient,
		heads: []any{"NAME", "KIND", "STATUS", "EVERY", "USED TODAY", "LAST POLL", "TAGS"},
		cells: sourceCells, fields: sourceFields,
	}
	return s.operators(group(&cobra.Command{
		Use:   "sources",
		Short: "List, show, add, change and remove the sources of the feed",
		Long: `List, show, add, change and remove the sources of the feed: NewsAPI searches, and
RSS, Atom or JSON feeds, which ingest polls.

The commands call the server's operator address: --operator, else ASSAY_OPERATOR, else
that of a running "assay serve".`,
	},
		sources.newPage(&cobra.Command{Use: "list", Short: "List the sources and their state"}, "",
			func(ctx context.Context, c *client.Client) ([]client.FeedSource, bool, error) {
				all, err := c.FeedSources(ctx)
				return all, false, err
			}),
		sources.newShow(&cobra.Command{Use: "show NAME", Short: "Show a source"}, (*client.Client).FeedSource),
		newSourcesSet(sources), newSourcesDelete(s)), "8087")
}

func sourceCells(source client.FeedSource) []any {
	last := "none"
	if poll := source.State.LastPoll; poll != nil {
		last = dateTime(poll.At) + " " + poll.Outcome
	}
	state, tags := source.State, strings.Join(source.Tags, ", ")
	return []any{source.Name, source.Kind, state.Status, source.Interval, used(source), last, tags}
}

func used(source client.FeedSource) string {
	return fmt.Sprintf("%d of %d", source.State.QuotaUsed, source.Quota)
}

func sourceFields(t *columns, source client.FeedSource) {
	t.field("source", source.Name)
	t.field("kind", source.Kind)
	t.field("url", source.URL)
	t.field("tags", strings.Join(source.Tags, ", "))
	t.field("match", source.Match)
	t.field("language", source.Language)
	if source.Pages > 0 {
		t.row("pages", source.Pages)
	}
	t.field("key variable", source.Key)
	t.field("interval", source.Interval)
	t.field("quota", used(source)+" today")
	t.field("status", source.State.Status)
	t.field("reason", source.State.Reason)
	if source.State.Failures > 0 {
		t.field("failures", fmt.Sprintf("%d consecutive", source.State.Failures))
	}
	t.field("next poll", dateTime(source.State.NextPoll))
	if poll := source.State.LastPoll; poll != nil {
		taken := fmt.Sprintf("%d created, %d duplicate, %d invalid, %d skipped",
			poll.Taken.Created, poll.Taken.Duplicate, poll.Taken.Invalid, poll.Taken.Skipped)
		t.field("last poll", fmt.Sprintf("%s %s: %s, in %d requests", dateTime(poll.At), poll.Outcome, taken, poll.Requests))
		t.field("detail", poll.Detail)
	}
	t.field("etag", source.ETag)
}

func newSourcesDelete(s *settings) *cobra.Command {
	var match string
	cmd := &cobra.Command{Use: "delete NAME", Short: "Delete a source; its items remain", Args: cobra.ExactArgs(1)}
	cmd.Flags().StringVar(&match, "if-match", "", "delete only if the source has this etag; * for any")
	cmd.RunE = with(s.operatorClient, func(cmd *cobra.Command, c *client.Client, args []string) error {
		source, err := c.FeedSource(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if err := c.DeleteFeedSource(cmd.Context(), args[0], cmp.Or(match, source.ETag)); err != nil {
			return err
		}
		return s.writeDeleted(cmd.OutOrStdout(), deletedLine{Name: args[0], Deleted: true})
	})
	return cmd
}
