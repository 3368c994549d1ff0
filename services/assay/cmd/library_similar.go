package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newLibrarySimilar(s *settings) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "similar PATH",
		Short: "Find copies of a picture, also in another size, format or quality",
		Long: "Find pictures of the same owner that look the same as a picture: first files with the same bytes, then\n" +
			"copies in another size, format or quality, or with small changes of light and color.",
		Example: "  assay library similar /photos/beach.jpg",
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "maximum number of pictures to show, up to 100")
	return s.newNode(cmd, func(cmd *cobra.Command, c *client.Client, n client.Node, _ []string) error {
		list, err := c.SimilarFiles(cmd.Context(), client.Reading{}, n.ID, limit, "")
		if err != nil {
			return err
		}
		out := cmd.OutOrStdout()
		if s.json {
			return writeJSON(out, list)
		}
		for _, f := range list.Files {
			if err := s.nodes().writeLine(out, f.Node); err != nil {
				return err
			}
			if f.Identical {
				if _, err := fmt.Fprintln(out, "    identical"); err != nil {
					return err
				}
			}
		}
		if list.Incomplete {
			_, err = fmt.Fprintln(cmd.ErrOrStderr(), "Only the newest 100,000 pictures were compared.")
		}
		return err
	})
}
