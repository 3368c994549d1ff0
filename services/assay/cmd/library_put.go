package cmd

import (
	"cmp"
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

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/services/assay/client"
)

// put is one run of the command.
type put struct {
	*settings
	wait     bool
	parallel int
	to       string

	client *client.Client
	bars   *progress
}

func newLibraryPut(s *settings) *cobra.Command {
	p := &put{settings: s}
	cmd := &cobra.Command{
		Use:   "put FILE|DIR…",
		Short: "Upload files, and folders with all that is in them",
		Long: `Upload files, and folders with all that is in them.

What an earlier run has uploaded to the same folder, and is there unchanged, is not
uploaded again: repeat the command after an interruption. Symbolic links in a folder
are left out.
Exit status: 0 on success, 1 if a file failed.`,
		Args: cobra.MinimumNArgs(1),
		RunE: p.run,
	}
	flags := cmd.Flags()
	flags.StringVar(&p.to, "to", "/", "folder of the library to upload to")
	flags.BoolVar(&p.wait, "wait", false, "wait until the files are processed")
	flags.IntVar(&p.parallel, "parallel", 8, "maximum number of concurrent uploads")
	return cmd
}

// local is a file to upload.
type local struct {
	path     string
	folderID string // to upload it to
}

// putResult is what became of a file.
type putResult struct {
	path string
	node client.Node
	err  error
}

func (p *put) run(cmd *cobra.Command, paths []string) (err error) {
	if p.parallel < 1 {
		return &Usage{Err: fmt.Errorf("--parallel %d: must be 1 or more", p.parallel)}
	}
	if p.client, err = p.settings.client(); err != nil {
		return err
	}
	target, err := find(cmd.Context(), p.client, p.to)
	if err != nil {
		return err
	}
	var files []local
	folders := 0
	for _, path := range paths {
		found, made, err := p.collect(cmd.Context(), path, target.ID)
		if err != nil {
			return fmt.Errorf("%s: %w", path, plain(err))
		}
		files, folders = append(files, found...), folders+made
	}
	p.bars = newProgress(cmd.ErrOrStderr(), len(files))
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	results := make(chan putResult)
	go p.sendAll(ctx, files, results)
	failed, err := collect(results, p.bars, func(r putResult) bool {
		stopWithoutServer(cancel, r.err)
		return r.err != nil || p.wait && r.node.Status == client.LibraryFailed
	}, func(r putResult) error { return p.show(ctx, cmd, r) })
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !p.json && err == nil {
		note(cmd.ErrOrStderr(), "%s, %s", count(folders, "folder"), count(len(files)-failed, "file"))
	}
	return cmp.Or(err, someFailed(failed, len(files)))
}

// collect returns the files at a path, and creates the folders for them.
func (p *put) collect(ctx context.Context, path, folderID string) (files []local, folders int, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []local{{path, folderID}}, 0, err
	}
	absolute, err := filepath.Abs(path) // also . has a name
	if err != nil {
		return nil, 0, err
	}
	made := map[string]string{} // the ids of folders, by their paths
	err = filepath.WalkDir(absolute, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		parent := made[filepath.Dir(at)]
		if at == absolute {
			parent = folderID
		}
		switch {
		case entry.IsDir():
			folder, err := p.folder(ctx, parent, entry.Name())
			if err != nil {
				return fmt.Errorf("%s: %w", at, err)
			}
			made[at] = folder.ID
		case entry.Type().IsRegular():
			files = append(files, local{at, parent})
		}
		return nil
	})
	return files, len(made), err
}

// folder creates a folder, or returns the one that an earlier run created.
func (p *put) folder(ctx context.Context, parentID, name string) (client.Node, error) {
	n, err := p.client.CreateFolder(ctx, client.NewFolder{Name: name, ParentID: parentID, Key: keyOf("folder", parentID, name)})
	if err == nil && n.ParentID == parentID && n.Name == name || err != nil && !keyUsed(err) {
		return n, err
	}
	return p.client.CreateFolder(ctx, client.NewFolder{Name: name, ParentID: parentID}) // that one was moved, renamed or trashed
}

// keyUsed reports whether an idempotency key was used for something else.
func keyUsed(err error) bool {
	p, ok := errors.AsType[*client.Problem](err)
	return ok && p.Type == "urn:assay:problem:idempotency-key-reused"
}

// keyOf returns the idempotency key of what a run creates.
func keyOf(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d %s ", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// sendAll sends the files, waits for them if wanted, and closes results.
func (p *put) sendAll(ctx context.Context, files []local, results chan<- putResult) {
	var sending, waiting errgroup.Group
	sending.SetLimit(p.parallel)
	waiting.SetLimit(mostWaiting)
	for _, file := range files {
		sending.Go(func() error {
			bar := p.bars.add(file.path)
			n, err := p.send(ctx, file, bar)
			if err != nil || !p.wait {
				bar.done()
				results <- putResult{file.path, n, err}
				return nil
			}
			bar.wait()
			waiting.Go(func() error {
				n, err := p.client.WaitNode(ctx, n.ID)
				bar.done()
				results <- putResult{file.path, n, err}
				return nil
			})
			return nil
		})
	}
	_ = sending.Wait() // no error is returned in a group, all are in results
	_ = waiting.Wait()
	close(results)
}

func (p *put) send(ctx context.Context, l local, bar *bar) (client.Node, error) {
	file, err := os.Open(l.path)
	if err != nil {
		return client.Node{}, plain(err)
	}
	defer func() { _ = file.Close() }() // only read from
	info, err := file.Stat()
	if err != nil {
		return client.Node{}, plain(err)
	}
	if !info.Mode().IsRegular() {
		return client.Node{}, errors.New("is not a regular file")
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(file, 0, info.Size())); err != nil {
		return client.Node{}, plain(err)
	}
	bar.size(info.Size())
	digest := hex.EncodeToString(sum.Sum(nil))
	f := client.NewLibraryFile{
		Name: filepath.Base(l.path), Size: info.Size(), ContentType: mime.TypeByExtension(filepath.Ext(l.path)),
		SHA256: digest, ParentID: l.folderID,
	}
	f.Key = keyOf("file", f.ParentID, f.Name, digest)
	src := client.Source{Content: file, Progress: bar.sent}
	n, err := p.client.UploadLibraryFile(ctx, f, src)
	if err == nil && n.ParentID == f.ParentID && n.Name == f.Name || err != nil && !keyUsed(err) {
		return n, err
	}
	f.Key = "" // that one was moved, renamed or trashed
	return p.client.UploadLibraryFile(ctx, f, src)
}

// show writes the result of one file; nothing for a canceled one.
func (p *put) show(ctx context.Context, cmd *cobra.Command, r putResult) error {
	switch {
	case r.err != nil && ctx.Err() != nil:
		return nil
	case r.err != nil:
		return report(cmd, p.settings, failedLine{Path: r.path, Error: explain(r.err)})
	case p.json:
		return writeJSON(cmd.OutOrStdout(), putLine{r.path, r.node})
	}
	return p.writeNode(cmd.OutOrStdout(), r.node)
}

// putLine is a node with the path that it was read from.
type putLine struct {
	Path string `json:"path"`
	client.Node
}
