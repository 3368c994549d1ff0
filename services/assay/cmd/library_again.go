package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/client"
)

const optionsHelp = `The charset of texts and tables, and the header, delimiter and decimal mark of tables
are detected unless a flag states them. What was guessed is in the remarks of a file.`

// readFlags adds the flags that state how files are read.
func readFlags(flags *pflag.FlagSet, o *client.ReadOptions) {
	flags.StringVar(&o.Charset, "charset", "", "charset of the files, such as gbk")
	flags.StringVar(&o.Header, "header", "", "yes: the first row of a table names its columns; no: it is a row of values")
	flags.StringVar(&o.Delimiter, "delimiter", "", "delimiter of the tables: a comma, a semicolon, a vertical bar or tab")
	flags.StringVar(&o.Decimal, "decimal", "", "decimal mark of the numbers of the tables: a point or a comma")
}

// checkRead rejects options that the server would reject.
func checkRead(o client.ReadOptions) error {
	if _, name, err := library.ReadOptions(o).Checked(); err != nil {
		return usage("--%s %w", name, err)
	}
	return nil
}

func newLibraryRetry(s *settings) *cobra.Command {
	return s.newAgain(&cobra.Command{
		Use: "retry PATH…", Short: "Process Failed or ProcessedPartially files again",
		Long: "Process Failed or ProcessedPartially files again.\n\n" + againHelp,
	}, (*client.Client).RetryLibraryFileAs)
}

func newLibraryReprocess(s *settings) *cobra.Command {
	return s.newAgain(&cobra.Command{
		Use: "reprocess PATH…", Short: "Process Processed files again, for example with other options",
		Long:    "Process Processed files again, for example with other options.\n\n" + againHelp,
		Example: `  assay library reprocess /results.csv --header no --delimiter ';' --decimal , --wait`,
	}, (*client.Client).ReprocessLibraryFileAs)
}

const againHelp = `Without flags that state how the files are read, they keep their options. With one of
them, these flags replace all options; --detect removes the options.

` + optionsHelp

// newAgain completes a command that processes files again.
func (s *settings) newAgain(
	cmd *cobra.Command, again func(*client.Client, context.Context, string, *client.ReadOptions) (client.Node, error),
) *cobra.Command {
	var options client.ReadOptions
	var detect, wait bool
	flags := cmd.Flags()
	readFlags(flags, &options)
	flags.BoolVar(&detect, "detect", false, "detect everything, also what an option of the file states")
	flags.BoolVar(&wait, "wait", false, "wait until the files are processed")
	for _, name := range library.OptionNames() {
		cmd.MarkFlagsMutuallyExclusive("detect", name)
	}
	cmd.PreRunE = func(*cobra.Command, []string) error { return checkRead(options) }
	return s.newNodes(cmd, func(ctx context.Context, c *client.Client, n client.Node, w io.Writer) error {
		var stated *client.ReadOptions
		if detect || options != (client.ReadOptions{}) {
			stated = &options
		}
		n, err := again(c, ctx, n.ID, stated)
		switch {
		case err != nil:
			return err
		case wait:
			return s.writeProcessed(ctx, c, w, n.ID)
		}
		return s.nodes().writeLine(w, n)
	})
}

// described is a file with the remarks in its metadata.
type described struct {
	client.Node
	Remarks []string `json:"remarks,omitempty"`
}

// processed waits until a file is processed and returns it with its remarks.
func processed(ctx context.Context, c *client.Client, id string) (described, error) {
	n, err := c.WaitNode(ctx, id)
	d := described{Node: n}
	if err != nil || n.TotalRecords == 0 { // only files with records have remarks
		return d, err
	}
	metadata, err := c.NodeMetadata(ctx, id, client.Reading{})
	remarks, _ := metadata["remarks"].([]any)
	for _, remark := range remarks {
		if text, ok := remark.(string); ok {
			d.Remarks = append(d.Remarks, text)
		}
	}
	return d, err
}

// writeDescribed writes a file, with a line for each remark.
func (s *settings) writeDescribed(w io.Writer, d described) error {
	if s.json {
		return writeJSON(w, d)
	}
	err := s.nodes().writeLine(w, d.Node)
	for _, remark := range d.Remarks {
		_, failed := fmt.Fprintf(w, "  remark: %s\n", shown(remark))
		err = errors.Join(err, failed)
	}
	return err
}

// writeProcessed writes a node when it is processed. It returns an error if the node Failed.
func (s *settings) writeProcessed(ctx context.Context, c *client.Client, w io.Writer, id string) error {
	d, err := processed(ctx, c, id)
	if err == nil {
		err = s.writeDescribed(w, d)
	}
	if err == nil {
		err = s.nodes().failed(d.Node)
	}
	return err
}
