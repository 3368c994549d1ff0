//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package dynamolite

import (
	"os"
	"syscall"
)

// journaled reports whether this system has what the journal needs. Elsewhere
// bbolt syncs by itself.
const journaled = true

// addressSpace is reserved for bbolt's file, in bytes, because a file that
// outgrows its mapping is mapped again, which waits for all readers, and the
// journal is one. A journaled file may grow up to it.
const addressSpace = 64 << 30

// lockFile locks the file for this process; it fails if another has it.
func lockFile(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// syncData syncs the file's content. Its times stay unsynced, which saves the
// file system a write.
func syncData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
