//go:build unix

package embedded

import (
	"io/fs"
	"syscall"
)

// inodeOf returns the inode number of a file.
func inodeOf(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Ino)
	}
	return 0
}
