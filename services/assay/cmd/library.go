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

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/client"
)

func newLibrary(s *settings) *cobra.Command {
	return group(&cobra.Command{
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
	},
		newLibraryPut(s), newLibraryImport(s), newLibraryMkdir(s), newLibraryList(s), newLibraryTree(s), newLibraryMove(s), newLibraryRemove(s),
		newLibraryRestore(s), newLibraryShare(s), newLibraryLinks(s), newLibraryGet(s), newLibraryRecords(s), newLibrarySummary(s),
		newLibraryExport(s), newLibraryTables(s), newLibraryTable(s), newLibraryWait(s), newLibraryRetry(s), newLibraryReprocess(s),
		newLibraryWatch(s), newLibrarySearch(s), newLibrarySimilar(s), newLibraryText(s),
		newLibraryMetadata(s), newLibraryImages(s), newLibraryModel(s))
}

// nodes describes the folders and files of the library.
func (s *settings) nodes() item[client.Node] {
	return item[client.Node]{
		settings: s, connect: s.client, none: "The folder is empty; upload files with: assay library put FILE",
		heads: []any{"ID", "STATUS", "SIZE", "NAME"}, layout: "%-36s  %-18s  %10s  %s",
		cells: func(n client.Node) []any {
			length := ""
			if n.Length != nil {
				length = sizeOf(*n.Length)
			}
			status := n.Status
			if n.IsFolder() {
				status = "-"
			}
			return []any{n.ID, s.state(status), length, reasoned(n)}
		},
		wait: (*client.Client).WaitNode,
		failed: func(n client.Node) error {
			if n.Status == client.LibraryFailed {
				return errors.New("the file could not be processed")
			}
			return nil
		},
	}
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
		if clean, err := library.CleanName(name); err == nil {
			name = clean // the normal form
		}
		if n, err = child(ctx, c, n.ID, name); err == nil && n.ID == "" {
			err = &noNode{name, path}
		}
	}
	return n, err
}

// noNode is the error for a path that does not exist.
type noNode struct{ name, path string }

func (m *noNode) Error() string {
	return fmt.Sprintf("there is no %q in the library at %s", m.name, m.path)
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

func named(n client.Node) string {
	name := shown(n.Name)
	if n.IsFolder() {
		name += "/"
	}
	return name
}

// reasoned returns the name of a node, with the reason if it is not processed completely.
func reasoned(n client.Node) string {
	if n.ErrorMessage == "" {
		return named(n)
	}
	return named(n) + "  (" + shown(library.WithoutSteps(n.ErrorMessage)) + ")"
}

// newNode completes a command for the node at the path that is its first argument.
func (s *settings) newNode(
	cmd *cobra.Command, do func(*cobra.Command, *client.Client, client.Node, []string) error,
) *cobra.Command {
	if cmd.Args == nil {
		cmd.Args = cobra.ExactArgs(1)
	}
	cmd.ValidArgsFunction = s.completePaths(1)
	cmd.RunE = with(s.client, func(cmd *cobra.Command, c *client.Client, args []string) error {
		path := ""
		if len(args) > 0 {
			path, args = args[0], args[1:]
		}
		n, err := find(cmd.Context(), c, path)
		if err != nil {
			return err
		}
		return do(cmd, c, n, args)
	})
	return cmd
}

// newNodes completes a command for the nodes at several paths. It reports failures and continues.
func (s *settings) newNodes(
	cmd *cobra.Command, do func(context.Context, *client.Client, client.Node, io.Writer) error,
) *cobra.Command {
	cmd.Args = cobra.MinimumNArgs(1)
	cmd.ValidArgsFunction = s.completePaths(manyArgs)
	cmd.RunE = with(s.client, func(cmd *cobra.Command, c *client.Client, paths []string) error {
		return s.each(cmd, paths, func(path string) error {
			n, err := find(cmd.Context(), c, path)
			if err != nil {
				return err
			}
			return do(cmd.Context(), c, n, cmd.OutOrStdout())
		})
	})
	return cmd
}

func newLibraryList(s *settings) *cobra.Command {
	var trash bool
	cmd := &cobra.Command{Use: "ls [PATH]", Short: "List the content of a folder, newest first"}
	cmd.Flags().BoolVar(&trash, "trash", false, "list the trash instead")
	cmd.Args = cobra.MaximumNArgs(1)
	cmd.ValidArgsFunction = s.completePaths(1)
	cmd.PreRunE = func(_ *cobra.Command, args []string) error {
		if trash && len(args) > 0 {
			return usage("the trash has no path")
		}
		return nil
	}
	nodes := s.nodes()
	cmd.RunE = with(s.client, func(cmd *cobra.Command, c *client.Client, args []string) error {
		if trash {
			nodes.none = "The trash is empty."
			return nodes.writeList(cmd, c.Trash(cmd.Context()))
		}
		n, err := find(cmd.Context(), c, strings.Join(args, ""))
		switch {
		case err != nil:
			return err
		case !n.IsFolder():
			return nodes.writeLine(cmd.OutOrStdout(), n)
		}
		return nodes.writeList(cmd, c.Children(cmd.Context(), n.ID, client.Reading{}))
	})
	return cmd
}

func newLibraryTree(s *settings) *cobra.Command {
	return s.newNode(&cobra.Command{
		Use: "tree [PATH]", Short: "Show a folder and everything below it", Args: cobra.MaximumNArgs(1),
	}, func(cmd *cobra.Command, c *client.Client, n client.Node, _ []string) error {
		t := &tree{settings: s, client: c, out: cmd.OutOrStdout()}
		if err := t.write("", n); err != nil {
			return err
		}
		if err := t.below(cmd.Context(), "", n); err != nil || s.json {
			return err
		}
		_, err := fmt.Fprintf(t.out, "%s, %s\n", count(t.folders, "folder"), count(t.files, "file"))
		return err
	})
}

// tree is one run of `assay library tree`.
type tree struct {
	*settings
	client         *client.Client
	out            io.Writer
	folders, files int
}

func (t *tree) write(prefix string, n client.Node) error {
	line := prefix + named(n)
	if n.IsFile() && n.Status != client.LibraryProcessed {
		line += "  (" + n.Status + ")"
	}
	return t.settings.write(t.out, n, "%s\n", line)
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
