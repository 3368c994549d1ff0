package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

func newContent(s *settings) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "content ID",
		Short: "Download a file as it was uploaded",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			c, err := s.client()
			if err != nil {
				return err
			}
			content, err := c.Content(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return writeContent(cmd, output, content)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write to instead of standard output")
	return cmd
}

// writeContent writes content to the file output, or to standard output if output is empty or "-". It closes content.
func writeContent(cmd *cobra.Command, output string, content io.ReadCloser) (err error) {
	defer func() { err = errors.Join(err, content.Close()) }()
	if output == "" || output == "-" {
		_, err = io.Copy(cmd.OutOrStdout(), content)
		return err
	}
	return save(output, content)
}

// save writes a file, replacing an existing one. It removes an incomplete file.
func save(path string, content io.Reader) error {
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
