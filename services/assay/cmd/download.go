package cmd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

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

// inspected is the number of bytes by which a terminal is protected from content that is not text.
const inspected = 512

// disturbing reports whether a character has an effect on a terminal other than being shown.
func disturbing(r rune) bool {
	return unicode.IsControl(r) && !strings.ContainsRune("\t\n\f\r", r)
}

// store writes content to a new file or, if its path is -, to the standard output. If the path is empty, content that is
// not text is not written to a terminal.
func store(path string, stdout io.Writer, content io.Reader) error {
	if path == "" && isTerminal(stdout) {
		buffered := bufio.NewReader(content)
		head, err := buffered.Peek(inspected)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if bytes.ContainsFunc(head, disturbing) {
			return errBinary
		}
		content = buffered
	}
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
