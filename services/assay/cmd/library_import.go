package cmd

import (
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
	}
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "name of the file (default: the name in the URL)")
	flags.StringVar(&to, "to", "/", "folder of the library to import into")
	flags.BoolVar(&wait, "wait", false, "wait until the pages are processed")
	cmd.PreRunE = func(_ *cobra.Command, urls []string) error {
		if name != "" && len(urls) > 1 {
			return usage("--name requires a single URL")
		}
		return nil
	}
	cmd.RunE = with(s.client, func(cmd *cobra.Command, c *client.Client, urls []string) error {
		parent, err := find(cmd.Context(), c, to)
		if err != nil {
			return err
		}
		return s.each(cmd, urls, func(url string) error {
			n, err := c.ImportPage(cmd.Context(), client.NewPage{URL: url, Name: name, ParentID: parent.ID})
			if err == nil && wait {
				n, err = c.WaitNode(cmd.Context(), n.ID)
			}
			return s.writeProcessed(cmd.OutOrStdout(), n, err)
		})
	})
	return cmd
}
