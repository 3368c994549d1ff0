package cmd

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

// tagged is an item with the tags that the owner gave it.
type tagged struct {
	Area string   `json:"area"`
	ID   string   `json:"id"`
	Tags []string `json:"tags"`
}

// change gives or removes a tag of an item.
type change func(c *client.Client, ctx context.Context, area, id, tag string) error

func newTag(s *settings) *cobra.Command {
	return newTagging(s, &cobra.Command{
		Use: "tag AREA/ID TAG...", Short: "Give tags to an item of any area",
		Long: `Give tags to an item of any area: your own, a feed message, or a file of the library that
is shared with you. Only you see them. Tags that differ only in case are the same.

"assay items" and "assay find" print the areas and ids of items.`,
		Example: `  assay tag library/01990f6e-5f0a-7c3e-9d0e-2f4b8f6f0b11 budget "annual report"
  assay find --tag budget`,
	}, (*client.Client).TagItem)
}

func newUntag(s *settings) *cobra.Command {
	return newTagging(s, &cobra.Command{
		Use: "untag AREA/ID TAG...", Short: "Remove tags from an item",
		Example: `  assay untag library/01990f6e-5f0a-7c3e-9d0e-2f4b8f6f0b11 budget`,
	}, (*client.Client).UntagItem)
}

// newTagging completes a command that changes the tags of an item and prints those that it then has.
func newTagging(s *settings, cmd *cobra.Command, do change) *cobra.Command {
	cmd.Args = cobra.MinimumNArgs(2)
	cmd.ValidArgsFunction = completion(s.client, manyArgs, 0, offerTags)
	items := completion(s.client, 1, 0, offerItems)
	tags := cmd.ValidArgsFunction
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return items(cmd, args, typed)
		}
		return tags(cmd, args, typed)
	}
	cmd.RunE = with(s.client, func(cmd *cobra.Command, c *client.Client, args []string) error {
		area, id, err := itemNamed(args[0])
		if err != nil {
			return err
		}
		for _, tag := range args[1:] {
			if err := do(c, cmd.Context(), area, id, tag); err != nil {
				return err
			}
		}
		i, err := c.Item(cmd.Context(), area, id)
		if err != nil && problemOf(err) != http.StatusNotFound { // the tags of a deleted item can be removed
			return err
		}
		t := tagged{area, id, append([]string{}, i.Tags...)}
		return s.write(cmd.OutOrStdout(), t, "%s/%s  %s\n", area, shown(id), shown(strings.Join(t.Tags, ", ")))
	})
	return cmd
}

// itemNamed returns the area and the id in an argument.
func itemNamed(argument string) (area, id string, err error) {
	area, id, both := strings.Cut(argument, "/")
	if !both || area == "" || id == "" {
		return "", "", usage("%s is not an area and an id, such as textfile/01990f6e-5f0a-7c3e-9d0e-2f4b8f6f0b11; see: assay items", shown(argument))
	}
	return area, id, nil
}

// offerItems offers the newest items of the owner.
func offerItems(ctx context.Context, c *client.Client, _ string) ([]cobra.Completion, error) {
	page, err := c.ItemPage(ctx, client.ItemListing{Limit: mostOffered})
	var offered []cobra.Completion
	for _, i := range page.Items {
		offered = append(offered, cobra.CompletionWithDesc(i.Area+"/"+i.ID, i.Name))
	}
	return offered, err
}

// offerTags offers the tags of the owner.
func offerTags(ctx context.Context, c *client.Client, _ string) ([]cobra.Completion, error) {
	all, err := c.Tags(ctx)
	offered := make([]cobra.Completion, len(all))
	for k, t := range all {
		offered[k] = t.Tag
	}
	return offered, err
}

// completeTags completes a flag with the tags of the owner.
func completeTags(s *settings, cmd *cobra.Command, flag string) {
	offer := completion(s.client, manyArgs, 0, offerTags)
	completeFlag(cmd, flag, func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return offer(cmd, nil, typed)
	})
}

// newTags returns the command that lists the tags of the owner.
func newTags(s *settings) *cobra.Command {
	return item[client.Tag]{
		settings: s, connect: s.client, none: "No tags yet; tag an item with: assay tag AREA/ID TAG", heads: []any{"TAG", "ITEMS"},
		cells: func(t client.Tag) []any { return []any{shown(t.Tag), t.Items} }, all: (*client.Client).Tags,
	}.newAll(&cobra.Command{
		Use: "tags", Short: "List your tags",
		Long:    "List your tags of items of all areas, by name, with the number of items.",
		Example: "  assay tags\n  assay items --tag budget",
	})
}

// withTags returns a query that is restricted to items with tags.
func withTags(query string, tags []string) (string, error) {
	if at := slices.IndexFunc(tags, func(tag string) bool { return strings.Contains(tag, `"`) }); at >= 0 {
		return "", usage("%s has a quotation mark, which a search cannot have in a tag; use: assay items --tag", shown(tags[at]))
	}
	for _, tag := range tags {
		query += ` tag:"` + tag + `"`
	}
	return strings.TrimSpace(query), nil
}
