package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newFind(s *settings) *cobra.Command {
	var q client.AreaSearch
	var tags []string
	cmd := &cobra.Command{
		Use:   "find QUERY",
		Short: "Search the library, text files, photos and the feed at once",
		Long: `Search the names, properties and texts of all items: the library, text files and photos that
have ended, and the feed items of the last 7 days.

All words of the query must occur. Write a phrase as "words in this order", a prefix as
rep*, and an excluded word as -word. Fields and filters such as title:budget and type:pdf
restrict the hits, and tag:budget to items that you have tagged. "assay library search"
searches the library only and shows paths.`,
		Example: `  assay find budget
  assay find '"annual report" -draft' --area library,textfile
  assay find --tag budget`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(tags) > 0 {
				return nil
			}
			return cobra.MinimumNArgs(1)(cmd, args)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&q.Areas, "area", nil, "only these areas, such as library or textfile; default: all")
	flags.IntVar(&q.Limit, "limit", 20, "maximum number of hits to show, up to 100")
	flags.StringArrayVar(&tags, "tag", nil, "only items with this tag; repeat it for several")
	completeTags(s, cmd, "tag")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	cmd.RunE = with(s.client, func(cmd *cobra.Command, c *client.Client, args []string) error {
		var err error
		if q.Query, err = withTags(strings.Join(args, " "), tags); err != nil {
			return err
		}
		page, err := c.Search(cmd.Context(), q)
		if err != nil {
			return err
		}
		return s.writeFoundPage(cmd, page)
	})
	return cmd
}

// writeFoundPage writes the hits of a search over all areas.
func (s *settings) writeFoundPage(cmd *cobra.Command, page client.FoundPage) error {
	hits := item[client.FoundItem]{
		settings: s, heads: []any{"AREA", "ID", "STATUS", "NAME"}, layout: "%-8s  %-36s  %-18s  %s",
		cells: func(h client.FoundItem) []any { return []any{h.Area, shown(h.ID), h.Status, shown(h.Name)} },
	}
	err := writeFound(cmd, hits, page.Hits, func(h client.FoundItem) ([]client.SearchSnippet, string) { return h.Snippets, h.TextCut })
	if err != nil {
		return err
	}
	note(cmd.ErrOrStderr(), "%s", foundIn(page))
	return nil
}

// writeFound writes hits with their snippets.
func writeFound[T any](cmd *cobra.Command, one item[T], hits []T, snippets func(T) (all []client.SearchSnippet, cut string)) error {
	out := cmd.OutOrStdout()
	if len(hits) > 0 && !one.json {
		if _, err := fmt.Fprintln(out, one.in(bold).of(fmt.Sprintf(one.layout, one.heads...))); err != nil {
			return err
		}
	}
	for _, h := range hits {
		err := one.writeLine(out, h)
		if err == nil && !one.json {
			all, cut := snippets(h)
			err = one.writeSnippets(out, all, cut)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// foundIn says how many hits there are.
func foundIn(page client.FoundPage) string {
	total, minimum := 0, ""
	for _, area := range page.Areas {
		if total += area.Total; area.TotalIsMinimum {
			minimum = "at least "
		}
	}
	return minimum + count(total, "hit")
}
