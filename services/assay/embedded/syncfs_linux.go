package embedded

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// SyncFolder syncs everything below a folder, with the file system that contains it.
func SyncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(folder.Fd())), folder.Close())
}
