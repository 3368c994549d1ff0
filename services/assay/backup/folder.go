package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// folder stores the files of a repository in a folder of the file system.
type folder struct{ dir string }

// partialFolder contains files that are being written, or were when a process was killed.
const partialFolder = "partial"

func (f folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f folder) put(_ context.Context, name string, content []byte) error {
	return f.write(name, content, os.Rename)
}

func (f folder) create(_ context.Context, name string, content []byte) error {
	err := f.write(name, content, func(from, to string) error {
		err := os.Link(from, to)
		if err != nil && !errors.Is(err, fs.ErrExist) { // the file system has no links
			var file *os.File
			if file, err = os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
				_, err = file.Write(content)
				err = errors.Join(err, file.Sync(), file.Close())
			}
		}
		return errors.Join(err, os.Remove(from))
	})
	if errors.Is(err, fs.ErrExist) {
		return errExists
	}
	return err
}

// write writes and syncs a file, and gives it its name.
func (f folder) write(name string, content []byte, place func(from, to string) error) error {
	path, drafts := f.path(name), f.path(partialFolder)
	dir := filepath.Dir(path)
	if err := errors.Join(os.MkdirAll(drafts, 0o700), os.MkdirAll(dir, 0o700)); err != nil {
		return err
	}
	file, err := os.CreateTemp(drafts, "*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	if err := place(file.Name(), path); err != nil {
		return err
	}
	return syncFolder(dir)
}

// syncFolder syncs the entries of a folder. Windows does this itself.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	open, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(open.Sync(), open.Close())
}

func (f folder) get(_ context.Context, name string) ([]byte, error) {
	content, err := os.ReadFile(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", errMissing, f.path(name))
	}
	return content, err
}

func (f folder) list(ctx context.Context, below string, each func(name string) error) error {
	top := f.path(below)
	return filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || entry.IsDir():
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		name, err := filepath.Rel(f.dir, path)
		if err != nil {
			return err
		}
		return each(filepath.ToSlash(name))
	})
}

func (f folder) remove(_ context.Context, name string) error {
	if err := os.Remove(f.path(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
