// Package wasmtest supports tests with engines: it compiles the engines once per machine, and generates documents.
package wasmtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/assay-project/assay/pkg/extract/wasm"
)

// Main runs the tests of a package after it has created an engine with open, prepared it and passed it to use. It
// returns the exit status.
func Main[E Engine](m *testing.M, open func(wasm.Config) E, use func(E)) int {
	return run(m, Fill, open, use)
}

// MainRDKit is like Main, for packages that use RDKit.
func MainRDKit[E Engine](m *testing.M, open func(wasm.Config) E, use func(E)) int {
	return run(m, FillRDKit, open, use)
}

func run[E Engine](m *testing.M, fill func(dir string) error, open func(wasm.Config) E, use func(E)) int {
	dir, err := wasm.UserCache()
	if err != nil {
		return failed(err)
	}
	if err := fill(dir); err != nil {
		return failed(err)
	}
	ctx := context.Background()
	e := open(wasm.Config{Cache: dir})
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

const modules = "github.com/assay-project/assay/"

// Fill compiles the programs of the analyzer into a cache by running the test TestFill of its package pixels
// without the race detector, which would make it ten times slower. Concurrent calls wait until it is done. System
// tests also call it.
func Fill(dir string) error { return fill(dir, modules+"pkg/extract/pixels") }

// FillRDKit is like Fill, for RDKit.
func FillRDKit(dir string) error { return fill(dir, modules+"pkg/extract/wasm/wasmtest") }

// fill runs TestFill of a package, unless the directory has already been filled.
func fill(dir, tests string) (err error) {
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
	filled := filepath.Join(dir, wasm.Runtime+"-"+filepath.Base(tests))
	if _, err := os.Stat(filled); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	test := exec.Command("go", "test", "-race=false", "-count=1", "-run", "^TestFill$", tests, "-fill", dir)
	if out, err := test.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return os.WriteFile(filled, nil, 0o600)
}

// Compiled returns the configuration of engines that are compiled before the test, RDKit included.
func Compiled(t testing.TB) wasm.Config {
	t.Helper()
	dir, err := wasm.UserCache()
	if err == nil {
		err = errors.Join(Fill(dir), FillRDKit(dir))
	}
	if err != nil {
		t.Fatal(err)
	}
	return wasm.Config{Cache: dir}
}

// Engine is an engine that Main prepares and closes.
type Engine interface {
	Prepare(context.Context) error
	Close(context.Context) error
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}
