package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/client"
)

// folders finds folders of the library by name and creates the missing ones. It lists each folder once, and is not safe for
// concurrent use.
type folders struct {
	client *client.Client
	listed map[string]map[string]client.Node // id, type and name of nodes, by the id of their folder and by name
}

func newFolders(c *client.Client) *folders {
	return &folders{client: c, listed: map[string]map[string]client.Node{}}
}

// named returns the newest folder with a name in a folder, else another node with the name, else a node without an id.
func (f *folders) named(ctx context.Context, folderID, name string) (client.Node, error) {
	names, listed := f.listed[folderID]
	if !listed {
		names = map[string]client.Node{}
		for n, err := range f.client.Children(ctx, folderID, client.Reading{}) {
			if err != nil {
				return client.Node{}, err
			}
			if known := names[n.Name]; !known.IsFolder() {
				names[n.Name] = client.Node{ID: n.ID, Type: n.Type, Name: n.Name}
			}
		}
		f.listed[folderID] = names
	}
	return names[name], nil
}

// in returns the folder with a name in a folder. If there is none, it creates the folder with an idempotency key, so that
// concurrent commands create a single one.
func (f *folders) in(ctx context.Context, parentID, name string) (client.Node, error) {
	n, err := f.named(ctx, parentID, name)
	if err != nil || n.IsFolder() {
		return n, err
	}
	n, err = once(parentID, name, func(try string) (client.Node, error) {
		return f.client.CreateFolder(ctx, client.NewFolder{Name: name, ParentID: parentID, Key: keyOf("folder", parentID, name, try)})
	})
	if err == nil {
		f.listed[parentID][name] = n
	}
	return n, err
}

// at returns the folder at a path, with at least its id, type and name, or the folder with an id. It creates the missing folders
// of a path.
func (f *folders) at(ctx context.Context, path string) (client.Node, error) {
	if id, err := uuid.Parse(path); err == nil {
		n, err := f.client.Node(ctx, id.String(), client.Reading{})
		return n, notFolder(path, n, err)
	}
	n, err := f.client.Root(ctx)
	for _, name := range segments(path) {
		if err != nil {
			return n, err
		}
		n, err = f.below(ctx, n.ID, name)
	}
	return n, err
}

// below is like in, but returns an error if another node has the name, or if the name is not allowed.
func (f *folders) below(ctx context.Context, parentID, name string) (client.Node, error) {
	name, err := library.CleanName(name)
	if err != nil {
		return client.Node{}, err
	}
	n, err := f.named(ctx, parentID, name)
	if err == nil && n.ID != "" {
		return n, notFolder(name, n, nil)
	}
	if err != nil {
		return n, err
	}
	return f.in(ctx, parentID, name)
}

// notFolder returns err, or an error if a node is not a folder.
func notFolder(path string, n client.Node, err error) error {
	if err == nil && !n.IsFolder() {
		err = fmt.Errorf("%s is not a folder", shown(path))
	}
	return err
}

func newLibraryMkdir(s *settings) *cobra.Command {
	var parents bool
	cmd := &cobra.Command{
		Use:   "mkdir PATH…",
		Short: "Create folders",
		Long: `Create folders.

Without -p, a folder is not created if its path exists or if a folder above it is
missing. With -p, the folders above it are created too, and an existing folder is not
an error.`,
		Example: `  assay library mkdir -p /Archive/2026 /Archive/2027`,
		Args:    cobra.MinimumNArgs(1),
	}
	cmd.Flags().BoolVarP(&parents, "parents", "p", false, "create missing folders above each PATH, and accept existing folders")
	cmd.RunE = with(s.client, func(cmd *cobra.Command, c *client.Client, paths []string) error {
		f := newFolders(c)
		create := f.create
		if parents {
			create = f.ensure
		}
		return s.each(cmd, paths, func(path string) error {
			n, err := create(cmd.Context(), path)
			if err != nil {
				return err
			}
			return s.nodes().writeLine(cmd.OutOrStdout(), n)
		})
	})
	return cmd
}

// create creates the folder at a path. It returns an error if the path exists, or the folder above it does not.
func (f *folders) create(ctx context.Context, path string) (client.Node, error) {
	names := segments(path)
	if len(names) == 0 || uuid.Validate(path) == nil {
		return client.Node{}, errors.New("is not the path of a new folder")
	}
	above, err := find(ctx, f.client, "/"+strings.Join(names[:len(names)-1], "/"))
	if err = notFolder("the node above it", above, err); err != nil {
		if _, absent := errors.AsType[*noNode](err); absent {
			err = fmt.Errorf("%w; use -p to create it too", err)
		}
		return client.Node{}, err
	}
	name, err := library.CleanName(names[len(names)-1])
	if err != nil {
		return client.Node{}, err
	}
	if n, err := f.named(ctx, above.ID, name); err != nil || n.ID != "" {
		return n, cmp.Or(err, errors.New("already exists; use -p to accept an existing folder"))
	}
	return f.in(ctx, above.ID, name)
}

// ensure is like at, but returns all properties of the folder.
func (f *folders) ensure(ctx context.Context, path string) (client.Node, error) {
	n, err := f.at(ctx, path)
	if err == nil && n.Status == "" { // it is from a list
		return f.client.Node(ctx, n.ID, client.Reading{})
	}
	return n, err
}
