//go:build linux || darwin

package embedded

import "golang.org/x/sys/unix"

// freeSpace returns the free bytes of the file system of a directory.
func freeSpace(dir string) (uint64, error) {
	var fs unix.Statfs_t
	err := unix.Statfs(dir, &fs)
	return uint64(fs.Bavail) * uint64(fs.Bsize), err
}
