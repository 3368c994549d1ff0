// Package enginetest serves the tests of the engines: compiled once on a machine, and
// documents to read.
package enginetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/assay-project/assay/pkg/engines"
)

// Main runs the tests of a package with an engine that is made by open and prepared. It
// returns the exit status.
func Main[E Engine](m *testing.M, open func(engines.Config) E, use func(E)) int {
	dir, err := engines.UserCache()
	if err != nil {
		return failed(err)
	}
	if err := Fill(dir); err != nil {
		return failed(err)
	}
	ctx := context.Background()
	e := open(engines.Config{Cache: dir})
	if err := e.Prepare(ctx); err != nil {
		return failed(err)
	}
	use(e)
	status := m.Run()
	if err := e.Close(ctx); err != nil {
		return failed(err)
	}
	return status
}

// Fill compiles the programs of the analyzer into an empty cache by running the test TestFill of
// its package pixels without the race detector, with which it takes ten times as long. Other
// tests wait meanwhile. Tests of whole systems call it, too.
func Fill(dir string) error {
	return fill(dir, "github.com/assay-project/assay/services/analyzer/pixels", programs)
}

// fill runs TestFill of a package, which compiles so many programs into a folder.
func fill(dir, tests string, programs int) (err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if found, err := filepath.Glob(filepath.Join(dir, "wazero*", "*", "*")); err != nil || len(found) >= programs {
		return err
	}
	test := exec.Command("go", "test", "-race=false", "-count=1", "-run", "^TestFill$", tests, "-fill", dir)
	if out, err := test.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// Compiled returns the configuration of engines that are compiled before the test.
func Compiled(t testing.TB) engines.Config {
	t.Helper()
	dir, err := engines.UserCache()
	if err == nil {
		err = Fill(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	return engines.Config{Cache: dir}
}

// programs is how many TestFill compiles.
const programs = 4

// Engine is what Main prepares and closes.
type Engine interface {
	Prepare(context.Context) error
	Close(context.Context) error
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}
