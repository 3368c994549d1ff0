package embedded

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncFileSystem syncs the file system of the directory.
func syncFileSystem(folder *os.File) error { return unix.Syncfs(int(folder.Fd())) }
