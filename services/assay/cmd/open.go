package cmd

import (
	"context"
	"net/url"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newOpen(s *settings) *cobra.Command {
	var print, operations bool
	cmd := &cobra.Command{
		Use:   "open [ID|PATH]",
		Short: "Open the web app, or the page of an item",
		Long: `Open the web app, or the page of a text file, a photo or a node of the library, in the
browser. Without a terminal, or with --print, the address is only printed.

ID is an id, alone or as AREA/ID, PATH a path in the library that begins with a slash. With
--operations the pages for operators are opened.`,
		Example: `  assay open
  assay open /Reports/2026
  assay open --print 0192f7c0-7a3c-7cc1-b111-53f1c30f1c44`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: s.completePaths(1),
	}
	cmd.Flags().BoolVar(&print, "print", false, "only print the address")
	cmd.Flags().BoolVar(&operations, "operations", false, "open the pages for operators")
	cmd.PreRunE = func(_ *cobra.Command, args []string) error {
		if operations && len(args) > 0 {
			return usage("the pages for operators have no ID or PATH")
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		address, err := s.pageFor(cmd.Context(), operations, strings.Join(args, ""))
		if err != nil {
			return err
		}
		out := cmd.OutOrStdout()
		if err := s.write(out, pageLine{address}, "%s\n", address); err != nil || print || s.json || !isTerminal(out) {
			return err
		}
		if err := browse(cmd.Context(), address); err != nil {
			note(cmd.ErrOrStderr(), "No browser was opened: %v", err)
			return nil // the address was printed
		}
		return s.noteOwner(cmd)
	}
	return s.operators(cmd, "8087")
}

// pageLine is the JSON line of the address of a page.
type pageLine struct {
	URL string `json:"url"`
}

// pageFor returns the address of the page of an item, or of the first page.
func (s *settings) pageFor(ctx context.Context, operations bool, of string) (string, error) {
	if operations {
		operator, err := s.findOperator()
		return strings.TrimRight(operator, "/") + "/operations", err
	}
	server, err := s.findServer()
	if err != nil || of == "" {
		return server, err
	}
	server = strings.TrimRight(server, "/")
	c, err := s.client()
	if err != nil {
		return "", err
	}
	item, err := locate(ctx, c, of)
	if err != nil {
		return "", err
	}
	switch item.area {
	case client.TextFileArea:
		return server + "/files/" + url.PathEscape(item.id), nil
	case client.PhotoArea:
		return server + "/photos/" + url.PathEscape(item.id), nil
	}
	return s.pageOf(item.id, nil)
}

// noteOwner says which owner has to be selected in a browser, unless it has the owner of the command line by default.
func (s *settings) noteOwner(cmd *cobra.Command) error {
	if token, err := s.findToken(); err != nil || token != "" {
		return err
	}
	owner, err := s.findOwner()
	if err != nil {
		return err
	}
	c, err := s.client()
	if err != nil {
		return err
	}
	if how, err := c.SignIn(cmd.Context()); err != nil || how.Owner != owner {
		note(cmd.ErrOrStderr(), "To see your files, select Owner in the menu of the page and enter %s", owner)
	}
	return nil
}

// browse opens an address in the browser of the user.
func browse(ctx context.Context, address string) error {
	switch runtime.GOOS {
	case "darwin":
		return exec.CommandContext(ctx, "open", address).Run()
	case "windows":
		return exec.CommandContext(ctx, "rundll32", "url.dll,FileProtocolHandler", address).Run()
	}
	return exec.CommandContext(ctx, "xdg-open", address).Run()
}
