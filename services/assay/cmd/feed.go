package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newFeed(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use: "feed", Short: "Read and manage the feed", Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newFeedList(s), newFeedShow(s), newSources(s), newReanalyze(s), newRebuild(s))
	return cmd
}

func newSources(s *settings) *cobra.Command {
	var operator string
	cmd := &cobra.Command{
		Use:   "sources",
		Short: "List, show, add, change and remove the sources of the feed",
		Long: `List, show, add, change and remove the sources of the feed: NewsAPI searches, and
RSS, Atom or JSON feeds, which ingest polls.

The commands call the server's operator address: --operator, else ASSAY_OPERATOR, else
that of a running "assay serve".`,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&operator, "operator", "", "operator address of the server, such as http://127.0.0.1:8087 [ASSAY_OPERATOR]")
	cmd.AddCommand(newSourcesList(s, &operator), newSourcesShow(s, &operator), newSourcesSet(s, &operator), newSourcesDelete(s, &operator))
	return cmd
}

func newSourcesList(s *settings, operator *string) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the sources and their state", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.operatorClient(*operator)
			if err != nil {
				return err
			}
			all, err := c.FeedSources(cmd.Context())
			if err != nil {
				return err
			}
			if !s.json {
				return writeSources(cmd.OutOrStdout(), all)
			}
			for _, source := range all {
				if err := writeJSON(cmd.OutOrStdout(), source); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func writeSources(w io.Writer, all []client.FeedSource) error {
	var out strings.Builder
	row := func(cells ...string) { out.WriteString(strings.Join(cells, "\t") + "\n") }
	if len(all) > 0 {
		row("NAME", "KIND", "STATUS", "EVERY", "USED TODAY", "LAST POLL", "TAGS")
	}
	for _, source := range all {
		last := "none"
		if poll := source.State.LastPoll; poll != nil {
			last = poll.At.Local().Format(time.DateTime) + " " + poll.Outcome
		}
		row(source.Name, source.Kind, source.State.Status, source.Interval, used(source), last, shown(strings.Join(source.Tags, ", ")))
	}
	return writeTable(w, out.String())
}

func used(source client.FeedSource) string {
	return fmt.Sprintf("%d of %d", source.State.QuotaUsed, source.Quota)
}

func newSourcesShow(s *settings, operator *string) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Show a source", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, source, err := s.source(cmd.Context(), *operator, args[0])
			if err != nil {
				return err
			}
			return s.writeSource(cmd.OutOrStdout(), source)
		},
	}
}

// source reads a source. It also returns the client, with which the source can be changed.
func (s *settings) source(ctx context.Context, operator, name string) (*client.Client, client.FeedSource, error) {
	c, err := s.operatorClient(operator)
	if err != nil {
		return nil, client.FeedSource{}, err
	}
	source, err := c.FeedSource(ctx, name)
	return c, source, err
}

// writeSource writes all fields of a source.
func (s *settings) writeSource(w io.Writer, source client.FeedSource) error {
	if s.json {
		return writeJSON(w, source)
	}
	var out strings.Builder
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&out, "%s\t%s\n", name, shown(value))
		}
	}
	row("source", source.Name)
	row("kind", source.Kind)
	row("url", source.URL)
	row("tags", strings.Join(source.Tags, ", "))
	row("match", source.Match)
	row("language", source.Language)
	if source.Pages > 0 {
		row("pages", fmt.Sprint(source.Pages))
	}
	row("key variable", source.Key)
	row("interval", source.Interval)
	row("quota", used(source)+" today")
	row("status", source.State.Status)
	row("reason", source.State.Reason)
	if source.State.Failures > 0 {
		row("failures", fmt.Sprintf("%d consecutive", source.State.Failures))
	}
	if !source.State.NextPoll.IsZero() {
		row("next poll", source.State.NextPoll.Local().Format(time.DateTime))
	}
	if poll := source.State.LastPoll; poll != nil {
		row("last poll", fmt.Sprintf("%s %s: %d created, %d duplicate, %d invalid, %d skipped, in %d requests", poll.At.Local().Format(time.DateTime),
			poll.Outcome, poll.Taken.Created, poll.Taken.Duplicate, poll.Taken.Invalid, poll.Taken.Skipped, poll.Requests))
		row("detail", poll.Detail)
	}
	row("etag", source.ETag)
	return writeTable(w, out.String())
}

func newSourcesDelete(s *settings, operator *string) *cobra.Command {
	var match string
	cmd := &cobra.Command{
		Use: "delete NAME", Short: "Delete a source; its items remain", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, source, err := s.source(cmd.Context(), *operator, args[0])
			if err != nil {
				return err
			}
			if err := c.DeleteFeedSource(cmd.Context(), args[0], cmp.Or(match, source.ETag)); err != nil {
				return err
			}
			if s.json {
				return writeJSON(cmd.OutOrStdout(), deletedSource{Name: args[0], Deleted: true})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s  deleted\n", args[0])
			return err
		},
	}
	cmd.Flags().StringVar(&match, "if-match", "", "delete only if the source has this etag; * for any")
	return cmd
}

type deletedSource struct {
	Name    string `json:"name"`
	Deleted bool   `json:"deleted"`
}
