// Package disktest runs a test with its own file system, which is small enough to be filled by the
// test.
package disktest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// folder is the environment variable with the directory where the child process mounts the file system. It is not
// set in other processes.
const folder = "DISKTEST_FOLDER"

// Run runs test with a directory on its own tmpfs, mounted with options such as
// size=16m. It starts the test binary again for this test alone, in its own mount
// namespace.
func Run(t *testing.T, options string, test func(t *testing.T, dir string)) {
	t.Helper()
	if dir := os.Getenv(folder); dir != "" {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
			t.Fatal(err)
		}
		test(t, dir)
		return
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), folder+"="+t.TempDir())
	child.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("test in the child process: %v: %s", err, out)
	}
}

// Fill writes a file of the given size in bytes to the directory, and returns a
// function that removes the file.
func Fill(t *testing.T, dir string, bytes int) (remove func()) {
	t.Helper()
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, bytes), 0o600); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	}
}
