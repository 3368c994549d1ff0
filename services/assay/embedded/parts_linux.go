package embedded

import (
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// canReplace reports whether replace works on this system.
const canReplace = true

// replace makes the descriptor of the gateway's new file refer to the file by. It returns false unless the
// gateway links its file by descriptor, which it does for a file without a name.
func replace(file, by *os.File) (bool, error) {
	if !strings.HasPrefix(file.Name(), "/proc/self/fd/") {
		return false, nil
	}
	return true, os.NewSyscallError("dup3", syscall.Dup3(int(by.Fd()), int(file.Fd()), syscall.O_CLOEXEC))
}

// linksOf returns how many names a file has.
func linksOf(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}
