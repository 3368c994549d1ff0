package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newLibrary(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "library",
		Short: "Store files of any type in folders",
		Long: `Store files of any type in folders.

A PATH in the library starts at your root folder, such as /Reports/2026/a.pdf; the
leading slash is optional. If several nodes have the same name, the newest is used.
The id of a node can be given instead.`,
		Example: `  assay library put ~/Documents/Reports --to /Archive
  assay library tree /Archive
  assay library share /Archive/Reports --for 168h
  assay library get /Archive/Reports -o reports.zip`,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newLibraryPut(s), newLibraryImport(s), newLibraryList(s), newLibraryTree(s), newLibraryMove(s), newLibraryRemove(s),
		newLibraryRestore(s), newLibraryShare(s), newLibraryLinks(s), newLibraryGet(s), newLibraryRecords(s), newLibraryExport(s), newLibraryWait(s), newLibraryWatch(s),
		newLibrarySearch(s), newLibraryText(s), newLibraryMetadata(s), newLibraryImages(s))
	return cmd
}

// find returns the node at a path, or with an id.
func find(ctx context.Context, c *client.Client, path string) (client.Node, error) {
	if id, err := uuid.Parse(path); err == nil {
		return c.Node(ctx, id.String(), client.Reading{})
	}
	n, err := c.Root(ctx)
	for _, name := range segments(path) {
		if err != nil {
			return n, err
		}
		if n, err = child(ctx, c, n.ID, name); err == nil && n.ID == "" {
			err = fmt.Errorf("there is no %q in the library at %s", name, path)
		}
	}
	return n, err
}

// node returns the node at a path, or with an id, and the client that read it.
func (s *settings) node(ctx context.Context, path string) (*client.Client, client.Node, error) {
	c, err := s.client()
	if err != nil {
		return nil, client.Node{}, err
	}
	n, err := find(ctx, c, path)
	return c, n, err
}

func segments(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// child returns the newest node with a name in a folder, or a node without an id if there is none.
func child(ctx context.Context, c *client.Client, folderID, name string) (client.Node, error) {
	for n, err := range c.Children(ctx, folderID, client.Reading{}) {
		if err != nil || n.Name == name {
			return n, err
		}
	}
	return client.Node{}, nil
}

// writeNode writes a node as one line.
func (s *settings) writeNode(w io.Writer, n client.Node) error {
	if s.json {
		return writeJSON(w, n)
	}
	line := named(n)
	if n.ErrorMessage != "" {
		line += "  (" + shown(n.ErrorMessage) + ")"
	}
	_, err := fmt.Fprintf(w, "%s  %-18s  %10s  %s\n", n.ID, n.Status, lengthOf(n), line)
	return err
}

func named(n client.Node) string {
	name := shown(n.Name)
	if n.IsFolder() {
		name += "/"
	}
	return name
}

// lengthOf returns the size of a file in readable form, or "" for a folder.
func lengthOf(n client.Node) string {
	if n.Length == nil {
		return ""
	}
	return sizeOf(*n.Length)
}

// eachPath finds the node of each path and calls do for it. It reports failures and continues.
func eachPath(cmd *cobra.Command, s *settings, paths []string, do func(*client.Client, client.Node) error) error {
	c, err := s.client()
	if err != nil {
		return err
	}
	return each(cmd, s, paths, func(path string) error {
		n, err := find(cmd.Context(), c, path)
		if err != nil {
			return err
		}
		return do(c, n)
	})
}

func newLibraryList(s *settings) *cobra.Command {
	var trash bool
	cmd := &cobra.Command{
		Use:   "ls [PATH]",
		Short: "List the content of a folder, newest first",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if trash && len(args) > 0 {
				return &Usage{Err: errors.New("the trash has no path")}
			}
			c, err := s.client()
			if err != nil {
				return err
			}
			list := c.Trash(cmd.Context())
			if !trash {
				n, err := find(cmd.Context(), c, strings.Join(args, ""))
				if err != nil {
					return err
				}
				if !n.IsFolder() {
					return s.writeNode(cmd.OutOrStdout(), n)
				}
				list = c.Children(cmd.Context(), n.ID, client.Reading{})
			}
			listed := 0
			for n, err := range list {
				if listed++; err == nil && listed == 1 {
					err = s.writeHeader(cmd.OutOrStdout(), "%-36s  %-18s  %10s  %s", "ID", "STATUS", "SIZE", "NAME")
				}
				if err == nil {
					err = s.writeNode(cmd.OutOrStdout(), n)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&trash, "trash", false, "list the trash instead")
	return cmd
}

func newLibraryTree(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "tree [PATH]",
		Short: "Show a folder and everything below it",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
			n, err := find(cmd.Context(), c, strings.Join(args, ""))
			if err != nil {
				return err
			}
			t := &tree{settings: s, client: c, out: cmd.OutOrStdout()}
			if err := t.write("", n); err != nil {
				return err
			}
			if err := t.below(cmd.Context(), "", n); err != nil || s.json {
				return err
			}
			_, err = fmt.Fprintf(t.out, "%s, %s\n", count(t.folders, "folder"), count(t.files, "file"))
			return err
		},
	}
}

func count(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// tree is one run of `assay library tree`.
type tree struct {
	*settings
	client         *client.Client
	out            io.Writer
	folders, files int
}

func (t *tree) write(prefix string, n client.Node) error {
	if t.json {
		return writeJSON(t.out, n)
	}
	line := prefix + named(n)
	if n.Type == client.NodeFile && n.Status != client.LibraryProcessed {
		line += "  (" + n.Status + ")"
	}
	_, err := fmt.Fprintln(t.out, line)
	return err
}

// below writes the content of a folder, sorted by name.
func (t *tree) below(ctx context.Context, indent string, folder client.Node) error {
	if !folder.IsFolder() {
		return nil
	}
	var children []client.Node
	for n, err := range t.client.Children(ctx, folder.ID, client.Reading{}) {
		if err != nil {
			return err
		}
		children = append(children, n)
	}
	slices.SortFunc(children, func(a, b client.Node) int { return strings.Compare(a.Name, b.Name) })
	for i, n := range children {
		branch, further := "├── ", "│   "
		if i == len(children)-1 {
			branch, further = "└── ", "    "
		}
		if n.IsFolder() {
			t.folders++
		} else {
			t.files++
		}
		if err := t.write(indent+branch, n); err != nil {
			return err
		}
		if err := t.below(ctx, indent+further, n); err != nil {
			return err
		}
	}
	return nil
}
