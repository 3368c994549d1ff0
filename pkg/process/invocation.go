package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Invocation returns the shell command that runs this program again: its name if it is in the search
// path, "go run" with the given package if go run built it, and otherwise the path that it was started
// with.
func Invocation(pkg string) string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return invocation(path, os.Args[0], pkg)
}

// invocation returns the command for the program at path, which was started with the path called.
func invocation(path, called, pkg string) string {
	// The go command builds into go-build123/b001/exe in the directory for temporary
	// files.
	if dir := filepath.Dir(path); filepath.Base(dir) == "exe" && strings.Contains(dir, "go-build") {
		return "go run " + pkg
	}
	name := filepath.Base(path)
	if found, err := exec.LookPath(name); err == nil && same(found, path) {
		return name
	}
	return called
}

// same reports whether two paths refer to the same file.
func same(a, b string) bool {
	first, err := os.Stat(a)
	second, other := os.Stat(b)
	return err == nil && other == nil && os.SameFile(first, second)
}
