package embedded

import (
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// canReplace reports whether replace works on this system.
const canReplace = true

// replace makes the descriptor of file, the gateway's new file, refer to other. It returns false unless the
// gateway links its file by descriptor, which it does for a file without a name.
func replace(file, other *os.File) (bool, error) {
	if !strings.HasPrefix(file.Name(), "/proc/self/fd/") {
		return false, nil
	}
	return true, os.NewSyscallError("dup3", syscall.Dup3(int(other.Fd()), int(file.Fd()), syscall.O_CLOEXEC))
}

// linksOf returns the number of hard links to a file.
func linksOf(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}
