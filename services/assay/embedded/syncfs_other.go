//go:build !linux

package embedded

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// SyncFolder syncs everything below a folder, one file after the other.
func SyncFolder(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file, err := openForSync(path)
		if err != nil || file == nil {
			return err
		}
		return errors.Join(file.Sync(), file.Close())
	})
}
