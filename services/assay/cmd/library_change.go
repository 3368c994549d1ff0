package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newLibraryMove(s *settings) *cobra.Command {
	return s.newNode(&cobra.Command{
		Use:   "mv PATH TARGET",
		Short: "Move a node to a folder, or rename it",
		Long: `Move a node into a folder, or rename it.

If TARGET is a folder, the node is moved into it. Otherwise the last part of TARGET is
the new name, and the rest is the new folder.`,
		Args: cobra.ExactArgs(2),
	}, func(cmd *cobra.Command, c *client.Client, n client.Node, args []string) error {
		change, err := moveTo(cmd.Context(), c, args[0])
		if err != nil {
			return err
		}
		if n, err = c.ChangeNode(cmd.Context(), n.ID, change); err != nil {
			return err
		}
		return s.nodes().writeLine(cmd.OutOrStdout(), n)
	})
}

// moveTo returns the change that moves a node into the folder target, or else to its parent folder and name.
func moveTo(ctx context.Context, c *client.Client, target string) (client.NodeChange, error) {
	into, err := find(ctx, c, target)
	if _, failed := errors.AsType[*client.Problem](err); failed {
		return client.NodeChange{}, err
	}
	if err == nil && into.IsFolder() {
		return client.NodeChange{ParentID: &into.ID}, nil
	}
	if uuid.Validate(target) == nil {
		return client.NodeChange{}, fmt.Errorf("%s is not a folder", target)
	}
	name := path.Base("/" + target)
	folder, err := find(ctx, c, strings.TrimSuffix(strings.TrimRight(target, "/"), name))
	return client.NodeChange{Name: &name, ParentID: &folder.ID}, err
}

func newLibraryRemove(s *settings) *cobra.Command {
	var permanent bool
	cmd := &cobra.Command{Use: "rm PATH…", Short: "Move nodes to the trash, or erase them"}
	cmd.Flags().BoolVar(&permanent, "permanent", false, "erase them permanently, with everything below them")
	return s.newNodes(cmd, func(ctx context.Context, c *client.Client, n client.Node, _ io.Writer) error {
		if permanent {
			return c.EraseNode(ctx, n.ID)
		}
		return c.TrashNode(ctx, n.ID)
	})
}

func newLibraryRestore(s *settings) *cobra.Command {
	return s.nodes().newEach(&cobra.Command{
		Use:   "restore NAME…",
		Short: "Move nodes from the trash back to their folders",
		Long: `Move nodes from the trash back to their folders.

NAME is the name or id of a node in the trash. If several nodes have the same name,
the one created last is used.`,
	}, func(c *client.Client, ctx context.Context, name string) (client.Node, error) {
		id := name
		if uuid.Validate(name) != nil {
			var err error
			if id, err = trashed(ctx, c, name); err != nil {
				return client.Node{}, err
			}
		}
		return c.RestoreNode(ctx, id)
	})
}

// trashed returns the id of the newest node with a name in the trash.
func trashed(ctx context.Context, c *client.Client, name string) (string, error) {
	for n, err := range c.Trash(ctx) {
		if err != nil || n.Name == name {
			return n.ID, err
		}
	}
	return "", fmt.Errorf("there is no %q in the trash", name)
}

func newLibraryShare(s *settings) *cobra.Command {
	var public, private, revoke bool
	var valid time.Duration
	cmd := &cobra.Command{
		Use:   "share PATH",
		Short: "Let others read a node and everything below it",
		Long: `Let others read a node and everything below it.

Without a flag, share prints a link that is valid for a week. Anyone who has the link
can read the node.`,
	}
	flags := cmd.Flags()
	flags.DurationVar(&valid, "for", 7*24*time.Hour, "lifetime of the link, at most 720h")
	flags.BoolVar(&public, "public", false, "make it public, so that everyone can read it without a link")
	flags.BoolVar(&private, "private", false, "make it private again; existing links remain valid")
	flags.BoolVar(&revoke, "revoke", false, "revoke all links to it")
	cmd.MarkFlagsMutuallyExclusive("public", "private", "revoke", "for")
	return s.newNode(cmd, func(cmd *cobra.Command, c *client.Client, n client.Node, _ []string) error {
		switch {
		case public, private:
			return c.PublishNode(cmd.Context(), n.ID, public)
		case revoke:
			return c.RevokeLinks(cmd.Context(), n.ID)
		}
		link, err := c.CreateLink(cmd.Context(), n.ID, valid)
		if err != nil {
			return err
		}
		if s.json {
			return writeJSON(cmd.OutOrStdout(), link)
		}
		return s.writeLinks(cmd.OutOrStdout(), link)
	})
}

func newLibraryLinks(s *settings) *cobra.Command {
	return s.newNode(&cobra.Command{Use: "links PATH", Short: "List the links to a node that have not expired"},
		func(cmd *cobra.Command, c *client.Client, n client.Node, _ []string) error {
			links, err := c.NodeLinks(cmd.Context(), n.ID)
			if err != nil {
				return err
			}
			if s.json {
				return writeJSON(cmd.OutOrStdout(), links)
			}
			return s.writeLinks(cmd.OutOrStdout(), links...)
		})
}

func (s *settings) writeLinks(w io.Writer, links ...client.ShareLink) error {
	server, err := s.findServer()
	for _, link := range links {
		if err != nil {
			break
		}
		_, err = fmt.Fprintf(w, "%s/v1/library/links/%s\nvalid until %s\n", server, link.Token, dateTime(link.ExpiresAt))
	}
	return err
}

func newLibraryGet(s *settings) *cobra.Command {
	return s.newDownload(&cobra.Command{Use: "get PATH", Short: "Download a file, or a folder as a zip"},
		func(c *client.Client, ctx context.Context, path string) (io.ReadCloser, error) {
			n, err := find(ctx, c, path)
			switch {
			case err != nil:
				return nil, err
			case n.IsFolder():
				return c.NodeZip(ctx, n.ID, client.Reading{})
			}
			return c.NodeContent(ctx, n.ID, client.Reading{})
		})
}

func newLibraryWait(s *settings) *cobra.Command {
	return s.newNodes(&cobra.Command{
		Use:   "wait PATH…",
		Short: "Wait until files are processed",
		Long:  "Wait until files are processed. The exit status is 1 if a file Failed.",
	}, func(ctx context.Context, c *client.Client, n client.Node, w io.Writer) error {
		n, err := c.WaitNode(ctx, n.ID)
		return s.writeProcessed(w, n, err)
	})
}

// writeProcessed writes a node, unless it could not be read because of err. It returns an error if the node Failed.
func (s *settings) writeProcessed(w io.Writer, n client.Node, err error) error {
	nodes := s.nodes()
	if err == nil {
		err = nodes.writeLine(w, n)
	}
	if err == nil {
		err = nodes.failed(n)
	}
	return err
}
