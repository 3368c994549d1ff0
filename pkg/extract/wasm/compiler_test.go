package wasm_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/pkg/extract/wasm"
)

func TestMain(m *testing.M) { os.Exit(wasm.Main(m.Run)) }

// TestCompiledSeparately checks that another process compiles into the cache once, and that an engine works without
// such a process.
func TestCompiledSeparately(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		compiler  string
		processes int
	}{"this program": {program, 1}, "missing program": {filepath.Join(t.TempDir(), "missing"), 0}} {
		cfg := wasm.Config{Cache: t.TempDir(), Compiler: test.compiler}
		for range 2 {
			e := newEngine(t, cfg)
			i, err := e.Start(t.Context(), wasm.Limits{Memory: 1 << 20})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := i.Call("next", 1); got != 2 || i.Close() != nil {
				t.Errorf("%s: next(1): got %d, want 2", name, got)
			}
		}
		done, err := filepath.Glob(filepath.Join(cfg.Cache, wasm.Runtime, "*.compiled"))
		if err != nil || len(done) != test.processes {
			t.Errorf("%s: got files %q, error %v, want %d", name, done, err, test.processes)
		}
	}
	cfg, err := wasm.Settings{Engines: t.TempDir()}.Config(1)
	if err != nil || cfg.Compiler != program {
		t.Errorf("got compiler %q, error %v, want %q", cfg.Compiler, err, program)
	}
}
