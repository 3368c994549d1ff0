package cmd

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

// newItems returns the command that lists the items of all areas.
func newItems(s *settings) *cobra.Command {
	var area string
	var tags []string
	items := item[client.Item]{
		settings: s, connect: s.client, noun: "item", none: "No items yet; upload a text with: assay upload FILE",
		heads: []any{"AREA", "ID", "STATUS", "NAME"}, layout: "%-8s  %-36s  %-10s  %s",
		cells: func(i client.Item) []any {
			name := shown(i.Name)
			if i.Error != "" {
				name += "  (" + shown(i.Error) + ")"
			}
			return []any{i.Area, i.ID, s.state(i.Status), name}
		},
		created:  func(i client.Item) time.Time { return i.CreatedAt },
		perPage:  200, // the server accepts no more
		statuses: client.ItemStatuses(),
		list: func(c *client.Client, ctx context.Context, l client.Listing) iter.Seq2[client.Item, error] {
			return c.Items(ctx, client.ItemListing{Area: area, Tags: tags, Status: l.Status, Limit: l.Limit, Cursor: l.Cursor})
		},
	}
	cmd := items.newList(&cobra.Command{
		Use: "items", Short: "List your items of all areas, newest first",
		Long: `List your items of all areas, newest first: text files, photos, and files of the library
outside of the trash. The status is the same word in all areas; the commands of an area
show its own.

With --tag, list the items that you have tagged, those tagged last first: also feed messages
and files that others share with you.`,
		Example: `  assay items
  assay items --area library --status failed
  assay items --tag budget
  assay items --all --json`,
	})
	check := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := oneOf("--area", area, client.ItemAreas()); err != nil && len(tags) == 0 {
			return err
		}
		return check(cmd, args)
	}
	cmd.Flags().StringVar(&area, "area", "", "only items of this area: "+strings.Join(client.ItemAreas(), ", "))
	oneOfFlag(cmd, "area", client.ItemAreas()...)
	cmd.Flags().StringArrayVar(&tags, "tag", nil, "only items with this tag; repeat it for several")
	completeTags(s, cmd, "tag")
	return cmd
}
