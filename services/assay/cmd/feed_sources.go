package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-project/assay/services/assay/client"
)

func newSources(s *settings) *cobra.Command {
	sources := item[client.FeedSource]{
		settings: s, connect: s.operatorClient,
		heads:  []any{"NAME", "KIND", "STATUS", "EVERY", "USED TODAY", "LAST POLL", "TAGS"},
		fields: sourceFields, all: (*client.Client).FeedSources,
		none:  "No sources yet; add one with: assay feed sources set NAME --kind rss --url URL --tags TAG",
		cells: func(source client.FeedSource) []any { return sourceCells(s, source) },
		offer: func(source client.FeedSource) string {
			return cobra.CompletionWithDesc(source.Name, source.Kind+"  "+source.State.Status)
		},
	}
	return s.operators(group(&cobra.Command{
		Use:   "sources",
		Short: "List, show, add, change, remove, import and export the sources of the feed",
		Long: `List, show, add, change and remove the sources of the feed: NewsAPI searches, and
RSS, Atom or JSON feeds, which ingest polls.

The commands call the server's operator address: --operator, else ASSAY_OPERATOR, else
that of a running "assay serve".`,
	},
		sources.newAll(&cobra.Command{Use: "list", Short: "List the sources and their state"}),
		sources.newShow(&cobra.Command{Use: "show NAME", Short: "Show a source"}, (*client.Client).FeedSource),
		newSourcesSet(sources), newSourcesDelete(sources), newSourcesImport(s), newSourcesExport(s)), "8087")
}

func sourceCells(s *settings, source client.FeedSource) []any {
	last := "none"
	if poll := source.State.LastPoll; poll != nil {
		last = dateTime(poll.At) + " " + poll.Outcome
	}
	status, tags := source.State.Status, strings.Join(source.Tags, ", ")
	if source.State.Failures > 0 && status == "paused" { // by the server, not by an operator
		status = "failing"
	}
	return []any{source.Name, source.Kind, s.state(status), source.Interval, used(source), last, tags}
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

func newSourcesDelete(s item[client.FeedSource]) *cobra.Command {
	var match string
	cmd := &cobra.Command{Use: "delete NAME", Short: "Delete a source; its items remain", Args: cobra.ExactArgs(1), ValidArgsFunction: s.complete(1)}
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

func newSourcesSet(sources item[client.FeedSource]) *cobra.Command {
	given := client.FeedSourceSettings{Enabled: true}
	var add, remove []string
	var match string
	cmd := &cobra.Command{
		Use: "set NAME", Short: "Add a source or change some of its settings",
		Long: `Add a source, or change some of its settings. Settings without a flag keep their
value, or have the server's default in a new source. The change takes effect
immediately; a paused or stopped source resumes.

A concurrent change is not lost: the command applies its change on top of it. With --if-match
the change is applied only if the source still has the etag that "show" printed.`,
		Example: `  assay feed sources set go --kind rss --url https://go.dev/blog/feed.atom --tags go,release --match all
  assay feed sources set news --kind newsapi --tags solar,wind --interval 30m --quota 50
  assay feed sources set news --add-tag tide --remove-tag wind
  assay feed sources set news --enabled=false`,
	}
	flags := cmd.Flags()
	sourceFlags(flags, &given)
	flags.StringSliceVar(&add, "add-tag", nil, "watched tags to add")
	flags.StringSliceVar(&remove, "remove-tag", nil, "watched tags to remove")
	flags.StringVar(&match, "if-match", "", "change only if the source has this etag; * for any")
	cmd.MarkFlagsMutuallyExclusive("tags", "add-tag")
	cmd.MarkFlagsMutuallyExclusive("tags", "remove-tag")
	cmd.Args = cobra.MatchAll(someGiven, cobra.ExactArgs(1))
	return sources.newSet(cmd, func(ctx context.Context, c *client.Client, args []string) (client.FeedSource, error) {
		return untilUnchanged(match, func() (client.FeedSource, error) {
			current, err := c.FeedSource(ctx, args[0])
			if problemOf(err) == http.StatusNotFound && match == "" {
				if !flags.Changed("kind") {
					return current, usage(
						"there is no source %s; to add it, set --kind, --tags and the other required flags", args[0])
				}
				err = nil
			}
			if err != nil {
				return current, err
			}
			next := current.FeedSourceSettings
			if next.Kind == "" || flags.Changed("kind") && given.Kind != next.Kind {
				// The remaining settings belong to the previous kind and may be its defaults.
				next = client.FeedSourceSettings{
					Enabled: next.Kind == "" || next.Enabled, Interval: next.Interval, Tags: next.Tags,
				}
			}
			if err := apply(flags, sourceFlags, &next); err != nil {
				return current, err
			}
			tags := append([]string{}, next.Tags...) // an empty list, not null
			tags = slices.DeleteFunc(append(tags, add...), func(tag string) bool { return slices.Contains(remove, tag) })
			slices.Sort(tags)
			next.Tags = slices.Compact(tags)
			return c.PutFeedSource(ctx, args[0], next, cmp.Or(match, current.ETag))
		})
	})
}

// sourceFlags adds the flags of the settings of a source.
func sourceFlags(flags *pflag.FlagSet, s *client.FeedSourceSettings) {
	flags.StringVar(&s.Kind, "kind", s.Kind, "newsapi or rss; rss stands for RSS, Atom and JSON feeds")
	flags.StringVar(&s.URL, "url", s.URL, "URL of the feed, or of the NewsAPI endpoint")
	flags.BoolVar(&s.Enabled, "enabled", s.Enabled, "poll the source")
	flags.StringVar(&s.Interval, "interval", s.Interval, "time between polls, such as 15m")
	flags.IntVar(&s.Quota, "quota", s.Quota, "maximum requests per day (UTC)")
	flags.StringSliceVar(&s.Tags, "tags", s.Tags, "watched tags, replacing the current ones")
	flags.StringVar(&s.Match, "match", s.Match,
		"rss: text assigns the tags that occur in an entry, all assigns all tags")
	flags.StringVar(&s.Language, "language", s.Language, "newsapi: two-letter language code")
	flags.IntVar(&s.Pages, "pages", s.Pages, "newsapi: maximum pages to read per tag and poll")
	flags.StringVar(&s.Key, "key-variable", s.Key,
		"newsapi: the environment variable of ingest that contains the API key")
}

// setTries is the maximum number of attempts of a change. Each conflict means that another writer
// succeeded.
const setTries = 20

// untilUnchanged calls change, which reads something and writes it, until nobody else has changed it in between. If
// match, the ETag that was given for the change, is set, it calls change once.
func untilUnchanged[T any](match string, change func() (T, error)) (T, error) {
	for try := 1; ; try++ {
		changed, err := change()
		if problemOf(err) != http.StatusPreconditionFailed || match != "" || try == setTries {
			return changed, err
		}
	}
}

// problemOf returns the status of an error response, or 0 for other errors.
func problemOf(err error) int {
	if problem, ok := errors.AsType[*client.Problem](err); ok {
		return problem.Status
	}
	return 0
}
