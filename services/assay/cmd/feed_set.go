package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-project/assay/services/assay/client"
)

func newSourcesSet(s *settings, operator *string) *cobra.Command {
	var given client.FeedSourceSettings
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
	flags.StringVar(&given.Kind, "kind", "", "newsapi or rss; rss stands for RSS, Atom and JSON feeds")
	flags.StringVar(&given.URL, "url", "", "URL of the feed, or of the NewsAPI endpoint")
	flags.BoolVar(&given.Enabled, "enabled", true, "poll the source")
	flags.StringVar(&given.Interval, "interval", "", "time between polls, such as 15m")
	flags.IntVar(&given.Quota, "quota", 0, "maximum requests per day (UTC)")
	flags.StringSliceVar(&given.Tags, "tags", nil, "watched tags, replacing the current ones")
	flags.StringSliceVar(&add, "add-tag", nil, "watched tags to add")
	flags.StringSliceVar(&remove, "remove-tag", nil, "watched tags to remove")
	flags.StringVar(&given.Match, "match", "", "rss: text assigns the tags that occur in an entry, all assigns all tags")
	flags.StringVar(&given.Language, "language", "", "newsapi: two-letter language code")
	flags.IntVar(&given.Pages, "pages", 0, "newsapi: maximum pages to read per tag and poll")
	flags.StringVar(&given.Key, "key-variable", "", "newsapi: the environment variable of ingest that contains the API key")
	flags.StringVar(&match, "if-match", "", "change only if the source has this etag; * for any")
	cmd.MarkFlagsMutuallyExclusive("tags", "add-tag")
	cmd.MarkFlagsMutuallyExclusive("tags", "remove-tag")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		sets, own := 0, cmd.LocalNonPersistentFlags()
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if own.Lookup(f.Name) != nil {
				sets++
			}
		})
		if sets == 0 || sets == 1 && match != "" {
			return errors.New("specify at least one setting")
		}
		return cobra.ExactArgs(1)(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := s.operatorClient(*operator)
		if err != nil {
			return err
		}
		source, err := setSource(cmd.Context(), c, args[0], match, cmd.Flags().Changed("kind"), func(current client.FeedSourceSettings) client.FeedSourceSettings {
			next := changed(current, given, cmd.Flags().Changed)
			tags := append([]string{}, next.Tags...) // an empty list, not null
			tags = slices.DeleteFunc(append(tags, add...), func(tag string) bool { return slices.Contains(remove, tag) })
			slices.Sort(tags)
			next.Tags = slices.Compact(tags)
			return next
		})
		if err != nil {
			return err
		}
		return s.writeSource(cmd.OutOrStdout(), source)
	}
	return cmd
}

// changed returns the settings after applying the given flags.
func changed(current, given client.FeedSourceSettings, isGiven func(flag string) bool) client.FeedSourceSettings {
	if current.Kind == "" || isGiven("kind") && given.Kind != current.Kind {
		// The remaining settings belong to the previous kind and may be its defaults.
		current = client.FeedSourceSettings{Enabled: current.Kind == "" || current.Enabled, Interval: current.Interval, Tags: current.Tags}
	}
	for flag, set := range map[string]func(){
		"kind": func() { current.Kind = given.Kind }, "url": func() { current.URL = given.URL }, "enabled": func() { current.Enabled = given.Enabled },
		"interval": func() { current.Interval = given.Interval }, "quota": func() { current.Quota = given.Quota },
		"tags": func() { current.Tags = given.Tags }, "match": func() { current.Match = given.Match },
		"language": func() { current.Language = given.Language }, "pages": func() { current.Pages = given.Pages },
		"key-variable": func() { current.Key = given.Key },
	} {
		if isGiven(flag) {
			set()
		}
	}
	return current
}

// setTries is the maximum number of attempts of a change. Each conflict means that another writer
// succeeded.
const setTries = 20

// setSource reads a source and changes it. If match is set, it changes only the version with that ETag. adds allows
// it to create the source.
func setSource(ctx context.Context, c *client.Client, name, match string, adds bool, change func(client.FeedSourceSettings) client.FeedSourceSettings) (client.FeedSource, error) {
	for try := 1; ; try++ {
		current, err := c.FeedSource(ctx, name)
		missing := problemOf(err) == http.StatusNotFound
		if err != nil && (!missing || match != "") {
			return client.FeedSource{}, err
		}
		if missing && !adds {
			return client.FeedSource{}, &Usage{Err: fmt.Errorf("there is no source %s; to add it, set --kind, --tags and the other required flags", name)}
		}
		put, err := c.PutFeedSource(ctx, name, change(current.FeedSourceSettings), cmp.Or(match, current.ETag))
		if problemOf(err) != http.StatusPreconditionFailed || match != "" || try == setTries {
			return put, err
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
