package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/client"
)

func newLibraryMove(s *settings) *cobra.Command {
	var replace, keep bool
	cmd := &cobra.Command{
		Use:   "mv PATH TARGET",
		Short: "Move a node to a folder, or rename it",
		Long: `Move a node into a folder, or rename it.

If TARGET is a folder, the node is moved into it. Otherwise the last part of TARGET is
the new name, and the rest is the new folder. If that folder has a node with the same
name, mv fails, except with --replace or --keep-both.`,
		Args: cobra.ExactArgs(2),
	}
	cmd.Flags().BoolVar(&replace, "replace", false, "move files with the same name to the trash")
	cmd.Flags().BoolVar(&keep, "keep-both", false, "keep nodes with the same name")
	cmd.MarkFlagsMutuallyExclusive("replace", "keep-both")
	return s.newNode(cmd, func(cmd *cobra.Command, c *client.Client, n client.Node, args []string) error {
		change, err := moveTo(cmd.Context(), c, args[0])
		if err != nil {
			return err
		}
		change.UniqueName = !keep && !replace
		var replaced []client.Node
		if replace {
			if replaced, err = namesakes(cmd.Context(), c, n, change); err != nil {
				return err
			}
		}
		moved, err := c.ChangeNode(cmd.Context(), n.ID, change)
		switch p, _ := errors.AsType[*client.Problem](err); {
		case p != nil && p.Type == "urn:assay:problem:name-taken":
			return fmt.Errorf("the folder already has a node named %s; use --replace to move it to the trash, or --keep-both",
				shown(nameOf(n, change)))
		case err != nil:
			return err
		}
		for _, old := range replaced {
			if err := c.TrashNode(cmd.Context(), old.ID); err != nil {
				return err
			}
		}
		return s.nodes().writeLine(cmd.OutOrStdout(), moved)
	})
}

// namesakes returns the other nodes of the folder to which a change moves a node that have its new name. It returns an error
// if one of them, or the node, is a folder.
func namesakes(ctx context.Context, c *client.Client, n client.Node, change client.NodeChange) ([]client.Node, error) {
	name, folderID := nameOf(n, change), n.ParentID
	if change.ParentID != nil {
		folderID = *change.ParentID
	}
	var same []client.Node
	for other, err := range c.Children(ctx, folderID, client.Reading{}) {
		switch {
		case err != nil:
			return nil, err
		case other.ID == n.ID || other.Name != name:
		case other.IsFolder() || n.IsFolder():
			return nil, fmt.Errorf("the folder already has a node named %s, and only a file can replace a file", shown(name))
		default:
			same = append(same, other)
		}
	}
	return same, nil
}

// nameOf returns the name of a node after a change.
func nameOf(n client.Node, change client.NodeChange) string {
	if change.Name == nil {
		return n.Name
	}
	if clean, err := library.CleanName(*change.Name); err == nil {
		return clean
	}
	return *change.Name
}

// moveTo returns the change that moves a node into the folder target, or else to its parent folder and name.
func moveTo(ctx context.Context, c *client.Client, target string) (client.NodeChange, error) {
	into, err := find(ctx, c, target)
	_, absent := errors.AsType[*noNode](err)
	switch {
	case err != nil && !absent:
		return client.NodeChange{}, err
	case err == nil && into.IsFolder():
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

Without a flag, share prints a link that is valid for a week: the address of a page
that anyone who has it can open. With --public, the address needs no link.`,
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
			err := c.PublishNode(cmd.Context(), n.ID, public)
			if err != nil || private {
				return err
			}
			return s.writePage(cmd.OutOrStdout(), n.ID)
		case revoke:
			return c.RevokeLinks(cmd.Context(), n.ID)
		}
		link, err := c.CreateLink(cmd.Context(), n.ID, valid)
		if err != nil {
			return err
		}
		return s.writeLinks(cmd.OutOrStdout(), n.ID, link)
	})
}

func newLibraryLinks(s *settings) *cobra.Command {
	return s.newNode(&cobra.Command{Use: "links PATH", Short: "List the links to a node that have not expired"},
		func(cmd *cobra.Command, c *client.Client, n client.Node, _ []string) error {
			links, err := c.NodeLinks(cmd.Context(), n.ID)
			if err != nil {
				return err
			}
			return s.writeLinks(cmd.OutOrStdout(), n.ID, links...)
		})
}

// linkLine is the JSON line of a share link, with the address of the page that it opens.
type linkLine struct {
	client.ShareLink
	URL string `json:"url"`
}

// writeLinks writes the links to a node.
func (s *settings) writeLinks(w io.Writer, id string, links ...client.ShareLink) error {
	for _, link := range links {
		page, err := s.pageOf(id, url.Values{"link": {link.Token}})
		if err == nil {
			err = s.write(w, linkLine{link, page}, "%s\nvalid until %s\n", page, dateTime(link.ExpiresAt))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writePage writes the address of the page of a public node.
func (s *settings) writePage(w io.Writer, id string) error {
	page, err := s.pageOf(id, nil)
	if err != nil {
		return err
	}
	return s.write(w, struct {
		URL string `json:"url"`
	}{page}, "%s\n", page)
}

// pageOf returns the address of the page of a node in the web app.
func (s *settings) pageOf(id string, query url.Values) (string, error) {
	server, err := s.findServer()
	page := strings.TrimRight(server, "/") + "/library/" + id
	if len(query) > 0 {
		page += "?" + query.Encode()
	}
	return page, err
}

func newLibraryGet(s *settings) *cobra.Command {
	return s.newDownload(&cobra.Command{Use: "get PATH", Short: "Download a file, or a folder as a zip", ValidArgsFunction: s.completePaths(1)},
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
		return s.writeProcessed(ctx, c, w, n.ID)
	})
}
