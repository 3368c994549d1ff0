package cmd

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newSourcesExport(s *settings) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "export", Short: "Export the RSS, Atom and JSON feeds as an OPML file", Args: cobra.NoArgs,
		Example: "  assay feed sources export -o feeds.opml",
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write to instead of standard output")
	cmd.RunE = with(s.operatorClient, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		document, err := c.ExportFeeds(cmd.Context())
		if err != nil {
			return err
		}
		if output == "" || output == "-" {
			_, err = cmd.OutOrStdout().Write(document)
			return err
		}
		return os.WriteFile(output, document, 0o666) //nolint:gosec // the umask applies, as for other files of the user
	})
	return cmd
}

func newSourcesImport(s *settings) *cobra.Command {
	var given client.FeedImportSettings
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Add a source for each feed of an OPML file", Args: cobra.ExactArgs(1),
		Long: `Add a source for each feed of an OPML file, such as one that a feed reader exports. The
names of folders and the categories of a feed become its tags; without any, its title does.
A source with the same URL remains as it is. FILE may be - for standard input.`,
		Example: `  assay feed sources import feeds.opml
  assay feed sources import feeds.opml --tags news --match text`,
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&given.Tags, "tags", nil, "tags that every source gets")
	flags.StringVar(&given.Match, "match", "", "all, the default, assigns all tags to each entry, text those that occur in it")
	flags.StringVar(&given.Interval, "interval", "", "time between polls, such as 15m")
	cmd.RunE = with(s.operatorClient, func(cmd *cobra.Command, c *client.Client, args []string) error {
		document, err := fileOrInput(cmd, args[0])
		if err != nil {
			return err
		}
		imported, err := c.ImportFeeds(cmd.Context(), document, given)
		if err != nil {
			return err
		}
		return s.writeImport(cmd, imported)
	})
	return cmd
}

// fileOrInput reads a file, or standard input if its name is "-".
func fileOrInput(cmd *cobra.Command, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(cmd.InOrStdin())
	}
	return os.ReadFile(name)
}

// writeImport writes the result of an import. It is a failure if an outline was refused.
func (s *settings) writeImport(cmd *cobra.Command, imported client.FeedImport) error {
	var err error
	if s.json {
		err = writeJSON(cmd.OutOrStdout(), imported)
	} else {
		var t columns
		for _, group := range []struct {
			outcome string
			feeds   []client.ImportedFeed
		}{{"created", imported.Created}, {"existing", imported.Existing}, {"refused", imported.Refused}} {
			for _, f := range group.feeds {
				cells := []any{group.outcome, cmp.Or(f.Name, f.Title), f.URL}
				if len(f.Reasons) > 0 {
					cells = append(cells, strings.Join(f.Reasons, "; "))
				}
				t.row(cells...)
			}
		}
		err = t.write(cmd.OutOrStdout())
	}
	all := len(imported.Created) + len(imported.Existing) + len(imported.Refused)
	if refused := len(imported.Refused); err == nil && refused > 0 {
		return &reported{summary: fmt.Sprintf("%d of %d refused", refused, all)}
	}
	return err
}
