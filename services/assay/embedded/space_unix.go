//go:build linux || darwin

package embedded

import "golang.org/x/sys/unix"

// freeSpace is that of the file system of a directory, in bytes.
func freeSpace(dir string) (uint64, error) {
	var fs unix.Statfs_t
	err := unix.Statfs(dir, &fs)
	return uint64(fs.Bavail) * uint64(fs.Bsize), err
}
