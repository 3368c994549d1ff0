package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

// newDownload completes a command that writes the content that open returns to standard output, or to the file of -o.
func (s *settings) newDownload(cmd *cobra.Command, open call[io.ReadCloser]) *cobra.Command {
	var output string
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write to instead of standard output")
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = with(s.client, func(cmd *cobra.Command, c *client.Client, args []string) (err error) {
		content, err := open(c, cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, content.Close()) }()
		return store(output, cmd.OutOrStdout(), content)
	})
	return cmd
}

// store writes content to a new file or, if its path is empty or -, to the standard output.
func store(path string, stdout io.Writer, content io.Reader) error {
	if path == "" || path == "-" {
		_, err := io.Copy(stdout, content)
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return fill(file, content)
}

// fill writes and closes a new file. It removes an incomplete file.
func fill(file *os.File, content io.Reader) error {
	_, err := io.Copy(file, content)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("%s: %w", file.Name(), errors.Join(err, os.Remove(file.Name())))
	}
	return nil
}
