package release

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ErrUncommitted means that the work tree contains changes that a release would not contain.
var ErrUncommitted = errors.New("the work tree contains uncommitted changes, which a release does not contain: commit them, or use -uncommitted to release the last commit")

// source is a copy of the commit that is released.
type source struct {
	dir  string
	hash string
	date time.Time // of the commit, in UTC
}

// copySource copies the commit of the configuration to dir, which must exist.
func copySource(ctx context.Context, c Config, dir string) (source, error) {
	if !c.Uncommitted {
		changes, err := git(ctx, c.Root, "status", "--porcelain")
		if err != nil {
			return source{}, err
		}
		if changes != "" {
			return source{}, fmt.Errorf("%w\n%s", ErrUncommitted, changes)
		}
	}
	hash, err := git(ctx, c.Root, "rev-parse", "--verify", c.Commit+"^{commit}")
	if err != nil {
		return source{}, err
	}
	at, err := git(ctx, c.Root, "show", "--no-patch", "--format=%ct", hash)
	if err != nil {
		return source{}, err
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return source{}, fmt.Errorf("time of the commit: %w", err)
	}
	files := exec.CommandContext(ctx, "git", "-C", c.Root, "archive", "--format=tar", hash)
	var stderr bytes.Buffer
	files.Stderr = &stderr
	content, err := files.Output()
	if err != nil {
		return source{}, fmt.Errorf("git archive: %w: %s", err, stderr.String())
	}
	return source{dir, hash, time.Unix(seconds, 0).UTC()}, unpack(bytes.NewReader(content), dir)
}

// git runs git in a folder and returns its output without spaces around it.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(string(output)), nil
}

// unpack writes the files of a tar archive of git below dir.
func unpack(r io.Reader, dir string) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	files := tar.NewReader(r)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.FromSlash(header.Name)
		switch header.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(filepath.Clean(name), 0o755)
		case tar.TypeSymlink:
			err = root.Symlink(header.Linkname, name)
		case tar.TypeReg:
			var content []byte
			if content, err = io.ReadAll(files); err == nil {
				err = root.WriteFile(name, content, header.FileInfo().Mode().Perm())
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", header.Name, err)
		}
	}
}
