package cmd

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

// areas returns the areas that files are uploaded and sent to.
func areas() []string { return []string{client.TextFileArea, client.PhotoArea, client.LibraryArea} }

// itemRef names an item.
type itemRef struct{ area, id string }

func (r itemRef) String() string { return r.area + "/" + r.id }

// locate returns the item that a text names: AREA/ID, an id, or a path in the library that begins with a slash.
func locate(ctx context.Context, c *client.Client, text string) (itemRef, error) {
	area, id, named := strings.Cut(text, "/")
	switch {
	case named && area == client.LibraryArea:
		text = "/" + id
	case named && (area == client.TextFileArea || area == client.PhotoArea):
		return itemRef{area, id}, nil
	case photoID.MatchString(text):
		return itemRef{client.PhotoArea, text}, nil
	case isUUID(text):
		_, err := c.Get(ctx, text, 0)
		if err == nil {
			return itemRef{client.TextFileArea, text}, nil
		}
		if p, ok := errors.AsType[*client.Problem](err); !ok || p.Status != http.StatusNotFound {
			return itemRef{}, err
		}
	}
	if area == client.LibraryArea && isUUID(id) {
		return itemRef{area, id}, nil
	}
	n, err := find(ctx, c, text)
	return itemRef{client.LibraryArea, n.ID}, err
}

// sending is one run of `assay send`.
type sending struct {
	*settings
	request    client.Sending
	result     bool
	folder     string
	operations string
	wait       bool
}

func newSend(s *settings) *cobra.Command {
	o := &sending{settings: s}
	cmd := &cobra.Command{
		Use:   "send ITEM… --to AREA",
		Short: "Send items to another area without uploading them again",
		Long: `Send items to another area without uploading them again: to textfile to count the words,
to photojob to edit a photo, to library to store and process it. The server copies the
content to a new item, which is independent of the first one.

ITEM is AREA/ID, such as photojob/01M8NHFDYDW8W6K58F848KKCB4, an id alone, or a path in
the library that begins with a slash. Items of the library that others share with you
can be sent too.

Send prints AREA/ID of each new item. With --wait, it prints the line of the item when
the result is available, and a failed item counts as a failure.
Exit status: 0 on success, 1 if an item failed.`,
		Example: `  assay send textfile/0192f7c0-7a3c-7cc1-b111-53f1c30f1c44 --to library --folder /Texts
  assay send /Photos/portrait.jpg --to photojob --prompt "crop 1:1 to faces" --wait`,
		Args: cobra.MinimumNArgs(1),
	}
	flags := cmd.Flags()
	s.nameWebhook(flags)
	flags.StringVar(&o.request.To, "to", "", "area of the new items: "+strings.Join(areas(), ", "))
	oneOfFlag(cmd, "to", areas()...)
	flags.BoolVar(&o.result, "result", false, "send edited photos instead of the originals")
	flags.StringVar(&o.request.Link, "link", "", "token of a share link to the items of the library")
	flags.StringVar(&o.request.Name, "name", "", "name of the new item (default: the name of the first one)")
	flags.StringVar(&o.folder, "folder", "/", "to library: folder of the new items; created if it is missing")
	completeFlag(cmd, "folder", s.completePaths(manyArgs))
	flags.StringVar(&o.request.Prompt, "prompt", "", "to photojob: how to edit the photos (default: enhance)")
	flags.StringVar(&o.operations, "operations", "", "to photojob: edits as a JSON array, or @FILE; applied after those of the prompt")
	flags.BoolVar(&o.wait, "wait", false, "wait for the results")
	cmd.ValidArgsFunction = s.completeItems
	cmd.PreRunE = func(cmd *cobra.Command, items []string) error { return o.check(cmd, items) }
	cmd.RunE = with(s.client, o.run)
	return cmd
}

func (o *sending) check(cmd *cobra.Command, items []string) error {
	given := cmd.Flags().Changed
	switch to := o.request.To; {
	case to == "":
		return usage("--to is missing: it must be one of %s", strings.Join(areas(), ", "))
	case o.request.Name != "" && len(items) > 1:
		return usage("--name requires a single item")
	case to != client.LibraryArea && given("folder"):
		return usage("--folder requires --to %s", client.LibraryArea)
	case to != client.PhotoArea && (given("prompt") || given("operations")):
		return usage("--prompt and --operations require --to %s", client.PhotoArea)
	}
	return oneOf("--to", o.request.To, areas())
}

func (o *sending) run(cmd *cobra.Command, c *client.Client, items []string) error {
	steps, err := operations(o.operations)
	if err != nil {
		return err
	}
	if len(steps) > 0 {
		o.request.Options = client.PhotoOptions{Operations: steps}
	}
	if o.result {
		o.request.Content = client.ResultContent
	}
	if o.request.To == client.LibraryArea && cmd.Flags().Changed("folder") {
		folder, err := newFolders(c).at(cmd.Context(), o.folder)
		if err != nil {
			return err
		}
		o.request.ParentID = folder.ID
	}
	return o.each(cmd, items, func(text string) error {
		from, err := locate(cmd.Context(), c, text)
		if err != nil {
			return err
		}
		made, err := c.Send(cmd.Context(), from.area, from.id, o.request)
		if err != nil {
			return err
		}
		to := itemRef{made.Area, made.ID}
		if o.wait {
			return o.writeEnded(cmd.Context(), c, cmd.OutOrStdout(), to)
		}
		return o.write(cmd.OutOrStdout(), sendLine{from.String(), made}, "%s\n", to)
	})
}

// sendLine is a new item, and the one whose content it has.
type sendLine struct {
	From string `json:"from"` // AREA/ID
	client.SentItem
}

// writeEnded writes an item when it is processed. It returns an error if the item failed.
func (s *settings) writeEnded(ctx context.Context, c *client.Client, w io.Writer, r itemRef) error {
	switch r.area {
	case client.TextFileArea:
		return writeEnded(ctx, c, w, s.files(), r.id)
	case client.PhotoArea:
		return writeEnded(ctx, c, w, s.photos(), r.id)
	}
	return s.writeProcessed(ctx, c, w, r.id)
}

func writeEnded[T any](ctx context.Context, c *client.Client, w io.Writer, i item[T], id string) error {
	v, err := i.wait(c, ctx, id)
	if err == nil {
		err = i.writeLine(w, v)
	}
	if err == nil {
		err = i.failed(v)
	}
	return err
}

// completeItems completes the items of a command: the areas first, then ids of text files and photos, and paths of the library.
func (s *settings) completeItems(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	area, _, named := strings.Cut(typed, "/")
	complete := cobra.FixedCompletions([]cobra.Completion{client.TextFileArea + "/", client.PhotoArea + "/", "/"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)
	switch {
	case named && area == client.TextFileArea:
		complete = below(area, s.files().complete(manyArgs))
	case named && area == client.PhotoArea:
		complete = below(area, s.photos().complete(manyArgs))
	case named && area == "":
		complete = s.completePaths(manyArgs)
	}
	return complete(cmd, args, typed)
}

// below returns the completion of ids below the name of their area.
func below(area string, ids cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		found, directive := ids(cmd, args, strings.TrimPrefix(typed, area+"/"))
		for i := range found {
			found[i] = area + "/" + found[i]
		}
		return found, directive
	}
}
