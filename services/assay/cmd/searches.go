package cmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newSearches(s *settings) *cobra.Command {
	searches := item[client.SavedSearch]{
		settings: s, connect: s.client, heads: []any{"NAME", "AREAS", "QUERY"}, none: "No searches yet; save one with: assay searches save NAME QUERY",
		cells: func(one client.SavedSearch) []any { return []any{one.Name, areasOf(one), shown(one.Query)} },
		fields: func(t *columns, one client.SavedSearch) {
			t.field("name", one.Name)
			t.field("query", shown(one.Query))
			t.field("areas", areasOf(one))
			t.field("created", dateTime(one.CreatedAt))
			t.field("updated", dateTime(one.UpdatedAt))
		},
		noun: "search", listed: "assay searches list", all: (*client.Client).SavedSearches, delete: (*client.Client).DeleteSearch,
		deleted: func(name string) deletedLine { return deletedLine{Name: name, Deleted: true} },
		offer:   func(one client.SavedSearch) string { return cobra.CompletionWithDesc(one.Name, one.Query) },
	}
	return group(&cobra.Command{
		Use: "searches", Short: "List, show, save, delete and run searches",
		Long: `List, show, save, delete and run searches. A saved search is like a folder whose content
is what the search finds at the moment. Only you see your searches.`,
	},
		searches.newAll(&cobra.Command{Use: "list", Short: "List your searches"}),
		searches.newShow(&cobra.Command{Use: "show NAME", Short: "Show a search"}, (*client.Client).SavedSearch),
		newSearchesSave(searches),
		searches.newDelete(&cobra.Command{Use: "delete NAME...", Short: "Delete searches"}),
		newSearchesRun(searches))
}

func areasOf(one client.SavedSearch) string {
	if len(one.Areas) == 0 {
		return "all"
	}
	return strings.Join(one.Areas, ",")
}

func newSearchesSave(searches item[client.SavedSearch]) *cobra.Command {
	var areas, tags []string
	cmd := &cobra.Command{
		Use: "save NAME QUERY", Short: "Save a search, or replace it",
		Long: `Save a search under a name of letters a to z, digits and hyphens. It replaces the search
with that name. The query is that of "assay find".`,
		Example: `  assay searches save budgets 'budget -draft' --tag 2026
  assay searches run budgets`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(tags) > 0 {
				return cobra.MinimumNArgs(1)(cmd, args)
			}
			return cobra.MinimumNArgs(2)(cmd, args)
		},
		ValidArgsFunction: searches.complete(1),
	}
	cmd.Flags().StringSliceVar(&areas, "area", nil, "only these areas, such as library or textfile; default: all")
	cmd.Flags().StringArrayVar(&tags, "tag", nil, "only items with this tag; repeat it for several")
	completeTags(searches.settings, cmd, "tag")
	return searches.newSet(cmd, func(ctx context.Context, c *client.Client, args []string) (client.SavedSearch, error) {
		query, err := withTags(strings.Join(args[1:], " "), tags)
		if err != nil {
			return client.SavedSearch{}, err
		}
		return c.SaveSearch(ctx, args[0], query, areas...)
	})
}

func newSearchesRun(searches item[client.SavedSearch]) *cobra.Command {
	var limit int
	cmd := &cobra.Command{Use: "run NAME", Short: "Show what a search finds", Args: cobra.ExactArgs(1), ValidArgsFunction: searches.complete(1)}
	cmd.Flags().IntVar(&limit, "limit", 20, "maximum number of hits to show, up to 100")
	cmd.RunE = with(searches.client, func(cmd *cobra.Command, c *client.Client, args []string) error {
		page, err := c.RunSearch(cmd.Context(), args[0], limit, "")
		if err != nil {
			return err
		}
		return searches.writeFoundPage(cmd, page)
	})
	return cmd
}
