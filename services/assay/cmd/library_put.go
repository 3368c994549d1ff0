package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

// put is one run of `assay library put`.
type put struct {
	*settings
	wait     bool
	parallel int
	to       string
	names    names
	options  client.ReadOptions

	client  *client.Client
	folders *folders
}

func newLibraryPut(s *settings) *cobra.Command {
	p := &put{settings: s}
	cmd := &cobra.Command{
		Use:   "put FILE|DIR…",
		Short: "Upload files, and folders with their content",
		Long: `Upload files, and folders with their content.

Files that an earlier run uploaded to the same folder are not uploaded again unless
they have changed, so repeat the command after an interruption. Files above 64 MiB are
uploaded in parts; only the missing parts are sent again. While the server is busy or
restarts, requests are retried. Symbolic links in a folder are skipped.

The folders of --to are created if they are missing. A folder with the same name in
the library gets the files of the uploaded one; a file with the same name is not
replaced.

Names that are not valid on every common file system cannot be stored: those with one
of \ : * ? " < > |, control characters or a dot or space at the end, and device names
of Windows such as CON. With --replace-names they are stored under a similar name,
which is printed on standard error.

` + optionsHelp + `

Failures are listed on standard error. A file or folder that cannot be read or stored
does not stop the others.
Exit status: 0 on success, 1 if a file or a folder failed.`,
		Args: cobra.MinimumNArgs(1),
		RunE: p.run,
	}
	flags := cmd.Flags()
	s.nameWebhook(flags)
	flags.StringVar(&p.to, "to", "/", "folder of the library to upload into; created if it is missing")
	completeFlag(cmd, "to", s.completePaths(manyArgs))
	flags.BoolVar(&p.wait, "wait", false, "wait until the files are processed")
	flags.BoolVar(&p.names.replace, "replace-names", false, "store files and folders whose names are not allowed under similar names")
	readFlags(flags, &p.options)
	flags.IntVar(&p.parallel, "parallel", 8, "maximum number of concurrent uploads")
	flags.DurationVar(&s.patience, "retry-for", 5*time.Minute, "how long to retry a request while the server is busy or unavailable")
	return cmd
}

func (p *put) run(cmd *cobra.Command, paths []string) (err error) {
	if err := errors.Join(positive("--parallel", p.parallel), checkRead(p.options)); err != nil {
		return err
	}
	if p.client, err = p.settings.client(); err != nil {
		return err
	}
	p.folders = newFolders(p.client)
	target, err := p.folders.at(cmd.Context(), p.to)
	if err != nil {
		return err
	}
	p.names.tell = func(path, name string) { note(cmd.ErrOrStderr(), "%s: stored as %s", shown(path), shown(name)) }
	var files []local
	made := 0
	for _, path := range paths {
		found, folders, err := p.collect(cmd.Context(), path, paths, target.ID)
		if err != nil {
			return fmt.Errorf("%s: %w", path, plain(err))
		}
		files, made = append(files, found...), made+folders
	}
	nodes := p.nodes()
	s := &sender[described]{
		settings: p.settings, write: p.writeDescribed, failed: func(d described) error { return nodes.failed(d.Node) },
		line: func(path string, d described) any { return putLine{path, d} },
	}
	if p.wait {
		s.wait = func(ctx context.Context, d described) (described, error) { return processed(ctx, p.client, d.ID) }
	}
	err = s.sendAll(cmd, p.parallel, files, func(ctx context.Context, l local, bar *bar) (described, error) {
		n, err := p.send(ctx, l, bar)
		return described{Node: n}, err
	})
	if !p.json && err == nil {
		note(cmd.ErrOrStderr(), "%s, %s", count(made, "folder"), count(len(files), "file"))
	}
	if !p.json && p.names.refused > 0 {
		note(cmd.ErrOrStderr(), "Names that are not allowed: %d. Repeat the command with --replace-names to store similar names.",
			p.names.refused)
	}
	return err
}

// collect returns the files at a path and creates the folders for them. paths are all paths of the command. It returns only
// errors that would stop all uploads.
func (p *put) collect(ctx context.Context, path string, paths []string, folderID string) (files []local, folders int, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		one := local{path: path, folderID: folderID, err: err}
		if err == nil {
			one.name, one.err = p.names.of(path, "", func() []string { return paths })
		}
		return []local{one}, 0, nil
	}
	absolute, err := filepath.Abs(path) // resolves the name of "."
	if err != nil {
		return nil, 0, err
	}
	made := map[string]string{} // ids of folders, by path
	err = filepath.WalkDir(absolute, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			files = append(files, local{path: at, err: err})
			return nil // an unreadable folder has no entries
		}
		within, siblings, parent := filepath.Dir(at), entriesOf(filepath.Dir(at)), made[filepath.Dir(at)]
		if at == absolute {
			within, siblings, parent = "", func() []string { return paths }, folderID
		}
		if !entry.IsDir() && !entry.Type().IsRegular() {
			return nil
		}
		name, err := p.names.of(at, within, siblings)
		switch {
		case !entry.IsDir():
			files = append(files, local{path: at, name: name, folderID: parent, err: err})
			return nil
		case err == nil:
			var folder client.Node
			if folder, err = p.folders.in(ctx, parent, name); err == nil {
				made[at] = folder.ID
			}
		}
		if _, lost := errors.AsType[*client.Unreachable](err); lost || ctx.Err() != nil {
			return err
		}
		if err != nil {
			files = append(files, local{path: at, err: err})
			return fs.SkipDir
		}
		return nil
	})
	return files, len(made), err
}

// mostKeys limits how often a path is created again after its node was moved, renamed or trashed.
const mostKeys = 100

// once calls create with the numbers of successive idempotency keys until the node has the expected
// folder and name. Nodes created with earlier keys were moved, renamed or trashed since then.
func once(parentID, name string, create func(try string) (client.Node, error)) (client.Node, error) {
	for try := range mostKeys {
		n, err := create(strconv.Itoa(try))
		if err == nil && n.ParentID == parentID && n.Name == name || err != nil && !keyUsed(err) {
			return n, err
		}
	}
	return client.Node{}, fmt.Errorf("was moved or removed %d times after its upload; rename it", mostKeys)
}

// keyUsed reports whether an idempotency key was used for a different request.
func keyUsed(err error) bool {
	p, ok := errors.AsType[*client.Problem](err)
	return ok && p.Type == "urn:assay:problem:idempotency-key-reused"
}

// keyOf derives an idempotency key from the parts that identify an item to create.
func keyOf(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d %s ", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func (p *put) send(ctx context.Context, l local, bar *bar) (client.Node, error) {
	if l.err != nil {
		return client.Node{}, plain(l.err)
	}
	file, info, err := open(l.path)
	if err != nil {
		return client.Node{}, err
	}
	defer func() { _ = file.Close() }() // opened for reading only
	if !info.Mode().IsRegular() {
		return client.Node{}, errors.New("is not a regular file")
	}
	digest, _, err := checksum(ctx, io.NewSectionReader(file, 0, info.Size()), info.Size(), bar)
	if err != nil {
		return client.Node{}, err
	}
	f := client.NewLibraryFile{
		Name: l.name, Size: info.Size(), ContentType: mediaType(l.path),
		SHA256: digest, ParentID: l.folderID, Options: p.options,
	}
	if f.Size > client.PartsAbove {
		f.SHA256, f.Parts = "", true // the parts have checksums of their own
	}
	n, err := once(f.ParentID, f.Name, func(try string) (client.Node, error) {
		f.Key = keyOf("file", f.ParentID, f.Name, digest, try)
		return p.client.UploadLibraryFile(ctx, f, client.Source{Content: file, Progress: bar.sent})
	})
	if err != nil || !f.Parts {
		return n, err
	}
	hashed := begun{Size: info.Size(), Modified: info.ModTime().UnixNano()}
	if changed, err := hashed.changed(file); changed || err != nil {
		return n, errors.Join(err, errors.New("changed while it was uploaded; upload it again"))
	}
	return n, nil
}

// putLine is a file of the library and the path of the file that was uploaded.
type putLine struct {
	Path string `json:"path"`
	described
}

func newLibraryImport(s *settings) *cobra.Command {
	var name, to string
	var wait bool
	cmd := &cobra.Command{
		Use:   "import URL…",
		Short: "Import web pages by their URLs",
		Long: `Import web pages by their URLs.

The server fetches the page and stores it as a file, with its readable text and its
preview picture. A URL can also point to a PDF or a picture. Pages in
private networks are imported only if the server allows their network.`,
		Example: `  assay library import https://example.com/article --to /Articles --wait`,
		Args:    cobra.MinimumNArgs(1),
	}
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "name of the file (default: the name in the URL)")
	flags.StringVar(&to, "to", "/", "folder of the library to import into; created if it is missing")
	flags.BoolVar(&wait, "wait", false, "wait until the pages are processed")
	cmd.PreRunE = func(_ *cobra.Command, urls []string) error {
		if name != "" && len(urls) > 1 {
			return usage("--name requires a single URL")
		}
		return nil
	}
	cmd.RunE = with(s.client, func(cmd *cobra.Command, c *client.Client, urls []string) error {
		parent, err := newFolders(c).at(cmd.Context(), to)
		if err != nil {
			return err
		}
		return s.each(cmd, urls, func(url string) error {
			n, err := c.ImportPage(cmd.Context(), client.NewPage{URL: url, Name: name, ParentID: parent.ID})
			switch {
			case err != nil:
				return err
			case wait:
				return s.writeProcessed(cmd.Context(), c, cmd.OutOrStdout(), n.ID)
			}
			return s.nodes().writeLine(cmd.OutOrStdout(), n)
		})
	})
	return cmd
}

// mediaType returns the media type that the extension of a file stands for, without the charset that the table of
// extensions adds to texts: the charset of the content is not known.
func mediaType(path string) string {
	media, _, _ := strings.Cut(mime.TypeByExtension(filepath.Ext(path)), ";")
	return media
}
