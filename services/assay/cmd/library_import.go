package cmd

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newLibraryImport(s *settings) *cobra.Command {
	var name, to string
	var wait bool
	cmd := &cobra.Command{
		Use:   "import URL…",
		Short: "Import web pages by their URLs",
		Long: `Import web pages by their URLs.

The server fetches the page and stores it as a file, with its readable text and its
preview picture. A URL can also point to a PDF or a picture. Pages in
private networks are imported only if the server allows their network.`,
		Example: `  assay library import https://example.com/article --to /Articles --wait`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, urls []string) error {
			if name != "" && len(urls) > 1 {
				return &Usage{Err: errors.New("--name requires a single URL")}
			}
			c, parent, err := s.node(cmd.Context(), to)
			if err != nil {
				return err
			}
			return each(cmd, s, urls, func(url string) error {
				n, err := c.ImportPage(cmd.Context(), client.NewPage{URL: url, Name: name, ParentID: parent.ID})
				if err == nil && wait {
					n, err = c.WaitNode(cmd.Context(), n.ID)
				}
				if err == nil {
					err = s.writeNode(cmd.OutOrStdout(), n)
				}
				if err == nil && n.Status == client.LibraryFailed {
					err = errFailed
				}
				return err
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "name of the file (default: the name in the URL)")
	flags.StringVar(&to, "to", "/", "folder of the library to import into")
	flags.BoolVar(&wait, "wait", false, "wait until the pages are processed")
	return cmd
}
