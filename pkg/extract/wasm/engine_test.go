package wasm_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/assay-project/assay/pkg/extract/wasm"
)

// program returns a module whose functions misbehave like programs that process hostile documents.
func program(t testing.TB) []byte {
	t.Helper()
	section := func(id byte, content ...byte) []byte { return append([]byte{id, byte(len(content))}, content...) }
	name := func(s string, kind, index byte) []byte {
		return append(append([]byte{byte(len(s))}, s...), kind, index)
	}
	body := func(code ...byte) []byte { return append([]byte{byte(len(code) + 2), 0}, append(code, 0x0b)...) }
	module := []byte("\x00asm\x01\x00\x00\x00")
	module = append(module, section(1, 3, 0x60, 0, 0, 0x60, 1, 0x7f, 0, 0x60, 1, 0x7f, 1, 0x7f)...) // () (i32) (i32)→i32
	module = append(module, section(3, 6, 0, 1, 0, 0, 0, 2)...)
	module = append(module, section(5, 1, 0, 1)...)                   // a memory of one page
	module = append(module, section(6, 1, 0x7f, 0, 0x41, 7, 0x0b)...) // a global
	exports := []byte{6}
	for i, s := range []string{"loop", "fork", "need", "trap", "deep", "next"} {
		exports = append(exports, name(s, 0, byte(i))...)
	}
	module = append(module, section(7, exports...)...)
	code := []byte{6}
	code = append(code, body(0x03, 0x40, 0x0c, 0, 0x0b)...) // loop: br 0
	half := []byte{0x20, 0, 0x41, 1, 0x6b, 0x10, 1}         // fork(n - 1)
	code = append(code, body(append(append(append([]byte{0x20, 0, 0x04, 0x40}, half...), half...), 0x0b)...)...)
	code = append(code, body(0x41, 16, 0x40, 0, 0x41, 0x7f, 0x46, 0x04, 0x40, 0x00, 0x0b)...) // trap unless memory.grow 16
	code = append(code, body(0x00)...)
	code = append(code, body(0x10, 4)...) // deep: call deep
	code = append(code, body(0x20, 0, 0x41, 1, 0x6a)...)
	module = append(module, section(10, code...)...)

	return module
}

// code returns a program's function Code.
func code(module []byte) func() ([]byte, error) {
	return func() ([]byte, error) { return module, nil }
}

func newEngine(t testing.TB, cfg wasm.Config) *wasm.Engine {
	t.Helper()
	e := wasm.New(wasm.Program{Name: "test", Code: code(program(t))}, cfg)
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return e
}

// run calls a function of a new instance. If stop is true, it cancels the instance's context after 20 ms.
func run(t *testing.T, e *wasm.Engine, stop bool, name string, args ...uint64) (uint64, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	i, err := e.Start(ctx, wasm.Limits{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if stop {
		defer time.AfterFunc(20*time.Millisecond, cancel).Stop()
	}
	result := i.Call(name, args...)
	if again := i.Call("next", 1); i.Err() != nil && again != 0 {
		t.Errorf("a call after error %v: got %d, want 0", i.Err(), again)
	}
	err = i.Err()
	if closed := i.Close(); closed != nil {
		t.Error(closed)
	}
	return result, err
}

// TestFailuresAreIsolated checks that a failing instance returns an error with the reason, and that the next instance
// works.
func TestFailuresAreIsolated(t *testing.T) {
	e := newEngine(t, wasm.Config{})
	for _, c := range []struct {
		function string
		args     []uint64
		stop     bool
		want     error
	}{
		{"loop", nil, true, context.Canceled},
		{"fork", []uint64{60}, true, context.Canceled}, // 2⁶⁰ calls, no loop
		{"need", nil, false, wasm.ErrMemory},
		{"trap", nil, false, wasm.ErrCrashed},
		{"deep", nil, false, wasm.ErrCrashed},
		{"absent", nil, false, nil},
	} {
		_, err := run(t, e, c.stop, c.function, c.args...)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: got error %v, want an error that wraps %v", c.function, err, c.want)
		}
		if got, err := run(t, e, false, "next", 41); err != nil || got != 42 {
			t.Errorf("after %s: got %d, error %v, want 42", c.function, got, err)
		}
	}
}

// TestStopReturnsTheCause checks that a stopped instance returns the cause of its context.
func TestStopReturnsTheCause(t *testing.T) {
	e := newEngine(t, wasm.Config{})
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the owner deleted it")
	i, err := e.Start(ctx, wasm.Limits{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	cancel(cause)
	i.Call("loop")
	if !errors.Is(i.Err(), cause) {
		t.Errorf("got error %v, want %v", i.Err(), cause)
	}
	if err := i.Close(); err != nil {
		t.Error(err)
	}
}

// TestGarbageCollectionIsNotBlocked checks that compiled code without calls does not block the garbage collector, and
// with it every other goroutine.
func TestGarbageCollectionIsNotBlocked(t *testing.T) {
	e := newEngine(t, wasm.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, call := range []func(*wasm.Instance){
		func(i *wasm.Instance) { i.Call("loop") },
		func(i *wasm.Instance) { i.Call("fork", 60) },
	} {
		i, err := e.Start(ctx, wasm.Limits{Memory: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		began, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			close(began)
			call(i)
		}()
		<-began
		for range 10 {
			runtime.GC() // returns only if the code can be interrupted
		}
		cancel()
		<-ended
		if err := i.Close(); err != nil {
			t.Error(err)
		}
		ctx, cancel = context.WithCancel(t.Context())
	}
	cancel()
}

// TestAddressesAreChecked checks that Bytes rejects ranges outside the memory.
func TestAddressesAreChecked(t *testing.T) {
	e := newEngine(t, wasm.Config{})
	for _, c := range []struct {
		at, size uint64
		inside   bool
	}{{8, 65536 - 8, true}, {0, 1, false}, {8, 65536, false}, {65537, 0, false}, {1 << 40, 1, false}, {8, 1<<64 - 4, false}} {
		i, err := e.Start(t.Context(), wasm.Limits{Memory: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		if b := i.Bytes(c.at, c.size); (b != nil) != c.inside || (i.Err() == nil) != c.inside {
			t.Errorf("Bytes(%d, %d): got %d bytes, error %v, want accepted = %v", c.at, c.size, len(b), i.Err(), c.inside)
		}
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCompiledOnce checks that a second engine uses the code that the first one compiled.
func TestCompiledOnce(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache")
	var files []string
	for n := range 2 {
		e := newEngine(t, wasm.Config{Cache: cache})
		if err := e.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		found, err := filepath.Glob(filepath.Join(cache, "*", "*", "*"))
		if err != nil || len(found) != 1 {
			t.Fatalf("got files %v, error %v, want one file", found, err)
		}
		if n == 1 && found[0] != files[0] {
			t.Errorf("got cached files %v, want %v as before", found, files)
		}
		files = found
		if got, err := run(t, e, false, "next", 1); err != nil || got != 2 {
			t.Errorf("got %d, error %v, want 2", got, err)
		}
	}
	if info, err := os.Stat(cache); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("cache: got mode %v, error %v, want mode 0700", info.Mode(), err)
	}
}

// TestCacheWritableByOthers checks that code is not executed if others can write to it.
func TestCacheWritableByOthers(t *testing.T) {
	cache := t.TempDir()
	if err := os.Chmod(cache, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := newEngine(t, wasm.Config{Cache: cache}).Prepare(t.Context()); !errors.Is(err, wasm.ErrNotCompiled) {
		t.Errorf("a cache that other users can write to: got error %v, want ErrNotCompiled", err)
	}
}

// TestClosedEngine closes an engine that has not compiled its program, and one with a malformed module.
func TestClosedEngine(t *testing.T) {
	e := wasm.New(wasm.Program{Name: "test", Code: code(program(t))}, wasm.Config{})
	if err := e.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Start(t.Context(), wasm.Limits{Memory: 1 << 20}); !errors.Is(err, wasm.ErrClosed) {
		t.Errorf("got error %v, want ErrClosed", err)
	}
	broken := wasm.New(wasm.Program{Name: "test", Code: code(program(t)[:40])}, wasm.Config{})
	if err := broken.Prepare(t.Context()); err == nil {
		t.Error("a truncated module: got no error, want one")
	}
	if err := broken.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestPrepareEndsWithItsContext checks that waiting for the compilation stops when the context is done.
func TestPrepareEndsWithItsContext(t *testing.T) {
	e := newEngine(t, wasm.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Prepare(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want none or Canceled", err)
	}
	if err := e.Prepare(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestCloseDuringCompilation checks that Close waits for a compilation until its context ends, and can be called
// again.
func TestCloseDuringCompilation(t *testing.T) {
	began, resume := make(chan struct{}), make(chan struct{})
	e := wasm.New(wasm.Program{Name: "test", Code: code(program(t)), Import: func(context.Context, wazero.Runtime, wazero.CompiledModule) error {
		close(began)
		<-resume
		return nil
	}}, wasm.Config{})
	ended := make(chan error, 1)
	go func() { ended <- e.Prepare(t.Context()) }()
	<-began
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Close(stopped); !errors.Is(err, wasm.ErrCompiling) {
		t.Errorf("got error %v, want ErrCompiling", err)
	}
	if _, err := e.Start(stopped, wasm.Limits{Memory: 1 << 20}); !errors.Is(err, wasm.ErrCompiling) || !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want ErrCompiling and Canceled", err)
	}
	close(resume)
	if err := errors.Join(<-ended, e.Close(t.Context())); err != nil {
		t.Error(err)
	}
}
