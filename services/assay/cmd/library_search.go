package cmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/services/assay/client"
)

func newLibrarySearch(s *settings) *cobra.Command {
	var q client.Search
	var below string
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "Search folders and files by the words in their names, titles and texts",
		Long: `Search folders and files by the words in their names, titles, authors, keywords and texts.

All words of the query must occur. Write a phrase as "words in this order", a prefix as
rep*, and an excluded word as -word. AND, OR and NOT are words like others. Case and
accents are ignored. The search covers your own nodes, those that others share with you,
and public ones.`,
		Example: `  assay library search budget
  assay library search '"annual report" 202* -draft' --format pdf --in /Reports`,
		Args: cobra.MinimumNArgs(1),
	}
	flags := cmd.Flags()
	flags.StringVar(&q.Type, "type", "", "only Folder, File, Model or Record")
	flags.StringVar(&q.Format, "format", "", "only files with this extension, such as pdf")
	flags.StringVar(&q.Status, "status", "", "only nodes with this status, such as Failed")
	flags.StringVar(&below, "in", "", "only nodes below this folder, given as a path or id")
	flags.IntVar(&q.Limit, "limit", 20, "maximum number of hits to show, up to 100")
	oneOfFlag(cmd, "type", "Folder", "File", "Model", "Record")
	oneOfFlag(cmd, "status", client.LibraryCreated, client.LibraryLoading, client.LibraryLoaded, client.LibraryProcessed,
		client.LibraryProcessedPartially, client.LibraryFailed)
	oneOfFlag(cmd, "format", searchFormats()...)
	completeFlag(cmd, "in", s.completePaths(manyArgs))
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	cmd.RunE = with(s.client, func(cmd *cobra.Command, c *client.Client, args []string) error {
		if below != "" {
			n, err := find(cmd.Context(), c, below)
			if err != nil {
				return err
			}
			q.ParentID = n.ID
		}
		q.Query = strings.Join(args, " ")
		page, err := c.SearchLibrary(cmd.Context(), q)
		if err != nil {
			return err
		}
		if err := s.writeHits(cmd, c, page); err != nil {
			return err
		}
		total := count(page.Total, "hit")
		if page.TotalIsMinimum {
			total = "at least " + total
		}
		note(cmd.ErrOrStderr(), "%s", total)
		return nil
	})
	return cmd
}

// writeHits writes hits with their paths and snippets.
func (s *settings) writeHits(cmd *cobra.Command, c *client.Client, page client.SearchPage) error {
	folders := map[string]string{} // paths by id
	hits := item[client.SearchHit]{
		settings: s, heads: []any{"ID", "STATUS", "SIZE", "PATH"}, layout: s.nodes().layout,
		cells: func(h client.SearchHit) []any {
			cells := s.nodes().cells(h.Node)
			cells[len(cells)-1] = folderOf(cmd.Context(), c, folders, h.Node) + reasoned(h.Node)
			return cells
		},
	}
	return writeFound(cmd, hits, page.Hits, func(h client.SearchHit) ([]client.SearchSnippet, string) { return h.Snippets, h.TextCut })
}

// folderOf returns the path of the folder of a node, with a slash at the end. It is empty for a node whose folders the
// caller may not read. known contains the paths that were read before, by id.
func folderOf(ctx context.Context, c *client.Client, known map[string]string, n client.Node) string {
	if n.ParentID == "" {
		return ""
	}
	path, found := known[n.ParentID]
	if !found {
		above, err := c.NodePath(ctx, n.ParentID, client.Reading{})
		if err == nil {
			for _, folder := range above {
				path += shown(strings.TrimSuffix(folder.Name, "/")) + "/"
			}
		}
		known[n.ParentID] = path
	}
	return path
}

// searchFormats returns the extensions of the formats that Assay reads, without dots.
func searchFormats() []string {
	var all []string
	for _, f := range extract.Formats() {
		for _, ending := range slices.Concat(f.Endings.Text, f.Endings.Binary) {
			all = append(all, strings.TrimPrefix(ending, "."))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// writeSnippets writes passages of the text and the properties of a hit, one per line, with brackets around the matching
// words, or in bold on terminals, and whether only a part of the text is searched.
func (s *settings) writeSnippets(w io.Writer, snippets []client.SearchSnippet, cut string) error {
	var lines strings.Builder
	for _, snippet := range snippets {
		if snippet.Field == "name" {
			continue
		}
		lines.WriteString("    ")
		switch {
		case snippet.Field != "text":
			lines.WriteString(shown(snippet.Field) + ": ")
		case snippet.Sheet != "":
			lines.WriteString("sheet " + shown(snippet.Sheet) + ": ")
		case snippet.Page > 0:
			lines.WriteString(shown(snippet.PageType) + " " + strconv.Itoa(snippet.Page) + ": ")
		}
		for _, p := range snippet.Parts {
			switch text := shown(p.Text); {
			case !p.Match:
				lines.WriteString(text)
			case s.color:
				lines.WriteString(bold.of(text))
			default:
				lines.WriteString("[" + text + "]")
			}
		}
		lines.WriteString("\n")
	}
	if cut != "" {
		lines.WriteString("    (" + shown(cut) + ")\n")
	}
	_, err := io.WriteString(w, lines.String())
	return err
}

func newLibraryText(s *settings) *cobra.Command {
	page := 0
	cmd := s.newNodes(&cobra.Command{Use: "text PATH...", Short: "Print the text of files"},
		func(ctx context.Context, c *client.Client, n client.Node, w io.Writer) error {
			if page > 0 {
				return writePage(ctx, c, n, page, w)
			}
			text, err := c.NodeText(ctx, n.ID, client.Reading{})
			if err != nil {
				return err
			}
			out := &pageWriter{to: w}
			_, err = io.Copy(out, text)
			if err == nil && out.last != 0 && out.last != '\n' && out.last != '\f' {
				_, err = io.WriteString(w, "\n")
			}
			return errors.Join(err, text.Close())
		})
	cmd.Flags().IntVar(&page, "page", 0, "print only this page, slide or sheet, from 1")
	return cmd
}

// writePage writes the text of a page of a file.
func writePage(ctx context.Context, c *client.Client, n client.Node, page int, w io.Writer) error {
	found, err := c.NodePage(ctx, n.ID, page, "", client.Reading{})
	if err != nil {
		return err
	}
	for _, part := range found.Parts {
		if _, err := io.WriteString(w, part.Text); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "\n")
	return err
}

// pageWriter ends the last line of each page before the form feed, as pdftotext does.
type pageWriter struct {
	to   io.Writer
	last byte
}

func (p *pageWriter) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	p.last = b[len(b)-1]
	if _, err := p.to.Write(bytes.ReplaceAll(b, []byte("\f"), []byte("\n\f"))); err != nil {
		return 0, err
	}
	return len(b), nil
}

func newLibraryMetadata(s *settings) *cobra.Command {
	return s.newNodes(&cobra.Command{Use: "metadata PATH...", Short: "Print the metadata of files as JSON"},
		func(ctx context.Context, c *client.Client, n client.Node, w io.Writer) error {
			found, err := c.NodeMetadata(ctx, n.ID, client.Reading{})
			if err != nil {
				return err
			}
			return writeJSON(w, found)
		})
}

func newLibraryImages(s *settings) *cobra.Command {
	images := item[client.NodeImage]{
		settings: s, layout: "%-6s %5d x %-5d %-12s %d B",
		cells: func(i client.NodeImage) []any { return []any{i.ID, i.Width, i.Height, i.MimeType, i.Length} },
	}
	return s.newNodes(&cobra.Command{Use: "images PATH...", Short: "List the pictures of files"},
		func(ctx context.Context, c *client.Client, n client.Node, w io.Writer) error {
			found, err := c.NodeImages(ctx, n.ID, client.Reading{})
			for _, i := range found {
				if err == nil {
					err = images.writeLine(w, i)
				}
			}
			return err
		})
}
