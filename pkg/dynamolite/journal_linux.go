//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package dynamolite

import (
	"os"
	"syscall"
)

// journaled reports whether the system supports the journal. Elsewhere bbolt
// syncs by itself.
const journaled = true

// addressSpace is the address space reserved for bbolt's file, in bytes. A
// file that outgrows its mapping is mapped again, which waits for all readers,
// and the journal is a reader. A journaled file can grow up to this size.
const addressSpace = 64 << 30

// lockFile locks the file for this process; it fails if another process has
// locked it.
func lockFile(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// syncData syncs the file's content. Its timestamps are not synced, which
// saves the file system a write.
func syncData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
