package cmd

import (
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
	return &cobra.Command{
		Use:   "mv PATH TARGET",
		Short: "Move a node to a folder, or rename it",
		Long: `Move a node into a folder, or rename it.

If TARGET is a folder, the node is moved into it. Otherwise the last part of TARGET is
the new name, and the rest is the new folder.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, n, err := s.node(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			var change client.NodeChange
			target, err := find(cmd.Context(), c, args[1])
			if _, failed := errors.AsType[*client.Problem](err); failed {
				return err
			}
			if err == nil && target.IsFolder() {
				change.ParentID = &target.ID
			} else {
				if uuid.Validate(args[1]) == nil {
					return fmt.Errorf("%s is not a folder", args[1])
				}
				name := path.Base("/" + args[1])
				folder, err := find(cmd.Context(), c, strings.TrimSuffix(strings.TrimRight(args[1], "/"), name))
				if err != nil {
					return err
				}
				change.Name, change.ParentID = &name, &folder.ID
			}
			if n, err = c.ChangeNode(cmd.Context(), n.ID, change); err != nil {
				return err
			}
			return s.writeNode(cmd.OutOrStdout(), n)
		},
	}
}

func newLibraryRemove(s *settings) *cobra.Command {
	var permanent bool
	cmd := &cobra.Command{
		Use:   "rm PATH…",
		Short: "Move nodes to the trash, or erase them",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			return eachPath(cmd, s, paths, func(c *client.Client, n client.Node) error {
				if permanent {
					return c.EraseNode(cmd.Context(), n.ID)
				}
				return c.TrashNode(cmd.Context(), n.ID)
			})
		},
	}
	cmd.Flags().BoolVar(&permanent, "permanent", false, "erase them permanently, with everything below them")
	return cmd
}

func newLibraryRestore(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "restore NAME…",
		Short: "Move nodes from the trash back to their folders",
		Long: `Move nodes from the trash back to their folders.

NAME is the name or id of a node in the trash. If several nodes have the same name,
the one created last is used.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
			return each(cmd, s, names, func(name string) error {
				id := name
				if uuid.Validate(name) != nil {
					if id, err = trashed(cmd, c, name); err != nil {
						return err
					}
				}
				n, err := c.RestoreNode(cmd.Context(), id)
				if err != nil {
					return err
				}
				return s.writeNode(cmd.OutOrStdout(), n)
			})
		},
	}
}

// trashed returns the id of the newest node with a name in the trash.
func trashed(cmd *cobra.Command, c *client.Client, name string) (string, error) {
	for n, err := range c.Trash(cmd.Context()) {
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
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, n, err := s.node(cmd.Context(), args[0])
			switch {
			case err != nil:
				return err
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
			server, err := s.findServer()
			if err != nil {
				return err
			}
			return writeLink(cmd.OutOrStdout(), server, link)
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&valid, "for", 7*24*time.Hour, "lifetime of the link, at most 720h")
	flags.BoolVar(&public, "public", false, "make it public, so that everyone can read it without a link")
	flags.BoolVar(&private, "private", false, "make it private again; existing links remain valid")
	flags.BoolVar(&revoke, "revoke", false, "revoke all links to it")
	cmd.MarkFlagsMutuallyExclusive("public", "private", "revoke", "for")
	return cmd
}

func newLibraryLinks(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "links PATH",
		Short: "List the links to a node that have not expired",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, n, err := s.node(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			links, err := c.NodeLinks(cmd.Context(), n.ID)
			if err != nil {
				return err
			}
			if s.json {
				return writeJSON(cmd.OutOrStdout(), links)
			}
			server, err := s.findServer()
			if err != nil {
				return err
			}
			for _, link := range links {
				if err := writeLink(cmd.OutOrStdout(), server, link); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func writeLink(w io.Writer, server string, link client.ShareLink) error {
	_, err := fmt.Fprintf(w, "%s/v1/library/links/%s\nvalid until %s\n", server, link.Token, link.ExpiresAt.Local().Format(time.DateTime))
	return err
}

func newLibraryGet(s *settings) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "get PATH",
		Short: "Download a file, or a folder as a zip",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			c, n, err := s.node(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			read := c.NodeContent
			if n.IsFolder() {
				read = c.NodeZip
			}
			content, err := read(cmd.Context(), n.ID, client.Reading{})
			if err != nil {
				return err
			}
			return writeContent(cmd, output, content)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write to instead of standard output")
	return cmd
}

func newLibraryWait(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "wait PATH…",
		Short: "Wait until files are processed",
		Long:  "Wait until files are processed. The exit status is 1 if a file Failed.",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			return eachPath(cmd, s, paths, func(c *client.Client, n client.Node) error {
				n, err := c.WaitNode(cmd.Context(), n.ID)
				if err == nil {
					err = s.writeNode(cmd.OutOrStdout(), n)
				}
				if err == nil && n.Status == client.LibraryFailed {
					err = errFailed
				}
				return err
			})
		},
	}
}

var errFailed = errors.New("the file could not be processed")
