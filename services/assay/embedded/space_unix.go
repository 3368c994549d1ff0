//go:build linux || darwin

package embedded

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

func space(dir string) (Space, error) {
	var on unix.Statfs_t
	err := unix.Statfs(dir, &on)
	used := uint64(on.Blocks) - uint64(on.Bfree)
	block := uint64(on.Bsize)
	return Space{Free: uint64(on.Bavail) * block, Size: (used + uint64(on.Bavail)) * block}, err
}

// blockSize is the unit of Stat_t.Blocks, whatever the block size of the file system.
const blockSize = 512

// allocated returns the bytes that a file takes on the disk.
func allocated(is fs.FileInfo) int64 {
	if stat, ok := is.Sys().(*syscall.Stat_t); ok {
		return stat.Blocks * blockSize
	}
	return is.Size()
}
