//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package dynamolite

import (
	"os"
	"syscall"
)

// journaled reports whether the system supports the journal. On other systems,
// bbolt syncs each commit.
const journaled = true

// addressSpace is the address space reserved for bbolt's file, in bytes. If a file
// outgrew its mapping, bbolt would map it again, which waits for all readers, and
// the journal is a reader. A journaled file therefore stays below this size.
const addressSpace = 64 << 30

// lockFile locks the file for this process; it fails if another process has
// locked it.
func lockFile(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// syncData syncs the file's content. Its timestamps are not synced, which
// saves the file system a write.
func syncData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
