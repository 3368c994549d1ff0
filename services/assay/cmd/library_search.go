package cmd

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newLibrarySearch(s *settings) *cobra.Command {
	var q client.Search
	var below string
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "Search folders and files by the words in their names and texts",
		Long: `Search folders and files by the words in their names and texts.

All words of the query must occur. Write a phrase as "words in this order", a prefix as
rep*, and an excluded word as -word. Case and accents are ignored. The search covers
your own nodes, those that others share with you, and public ones.`,
		Example: `  assay library search budget
  assay library search '"annual report" 202* -draft' --format pdf --in /Reports`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
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
			out := cmd.OutOrStdout()
			if s.json {
				return writeJSON(out, page)
			}
			for _, h := range page.Hits {
				if err := errors.Join(s.writeNode(out, h.Node), writeSnippets(out, h.Snippets)); err != nil {
					return err
				}
			}
			total := count(page.Total, "hit")
			if page.TotalIsMinimum {
				total = "at least " + total
			}
			_, err = fmt.Fprintln(out, total)
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&q.Type, "type", "", "only Folder, File or Record")
	flags.StringVar(&q.Format, "format", "", "only files with this extension, such as pdf")
	flags.StringVar(&q.Status, "status", "", "only nodes with this status, such as Failed")
	flags.StringVar(&below, "in", "", "only nodes below this folder, given as a path or id")
	flags.IntVar(&q.Limit, "limit", 20, "maximum number of hits to show, up to 100")
	return cmd
}

// writeSnippets writes passages of a text, one per line, with brackets around the matching words.
func writeSnippets(w io.Writer, snippets []client.SearchSnippet) error {
	for _, snippet := range snippets {
		if snippet.Field != "text" {
			continue
		}
		var line strings.Builder
		for _, p := range snippet.Parts {
			if text := shown(p.Text); p.Match {
				line.WriteString("[" + text + "]")
			} else {
				line.WriteString(text)
			}
		}
		if _, err := fmt.Fprintf(w, "    %s\n", line.String()); err != nil {
			return err
		}
	}
	return nil
}

func newLibraryText(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "text PATH...",
		Short: "Print the text of files",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachPath(cmd, s, args, func(c *client.Client, n client.Node) error {
				text, err := c.NodeText(cmd.Context(), n.ID, client.Reading{})
				if err != nil {
					return err
				}
				_, err = io.Copy(cmd.OutOrStdout(), text)
				return errors.Join(err, text.Close())
			})
		},
	}
}

func newLibraryMetadata(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "metadata PATH...",
		Short: "Print the metadata of files as JSON",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachPath(cmd, s, args, func(c *client.Client, n client.Node) error {
				found, err := c.NodeMetadata(cmd.Context(), n.ID, client.Reading{})
				if err != nil {
					return err
				}
				return writeJSON(cmd.OutOrStdout(), found)
			})
		},
	}
}

func newLibraryImages(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "images PATH...",
		Short: "List the pictures of files",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachPath(cmd, s, args, func(c *client.Client, n client.Node) error {
				images, err := c.NodeImages(cmd.Context(), n.ID, client.Reading{})
				if err != nil {
					return err
				}
				for _, i := range images {
					if s.json {
						err = writeJSON(cmd.OutOrStdout(), i)
					} else {
						_, err = fmt.Fprintf(cmd.OutOrStdout(), "%-6s %5d x %-5d %-12s %d B\n", i.ID, i.Width, i.Height, i.MimeType, i.Length)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}
