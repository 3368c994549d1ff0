package engines_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/pkg/engines"
)

func TestMain(m *testing.M) { os.Exit(engines.Main(m.Run)) }

// TestCompiledApart checks that another process fills the cache, once, and that an engine works where none can.
func TestCompiledApart(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		compiler string
		apart    int
	}{"this program": {program, 1}, "not a program": {filepath.Join(t.TempDir(), "missing"), 0}} {
		cfg := engines.Config{Cache: t.TempDir(), Compiler: test.compiler}
		for range 2 {
			e := newEngine(t, cfg)
			i, err := e.Start(t.Context(), engines.Limits{Memory: 1 << 20})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := i.Call("next", 1); got != 2 || i.Close() != nil {
				t.Errorf("%s: next(1): got %d, want 2", name, got)
			}
		}
		done, err := filepath.Glob(filepath.Join(cfg.Cache, engines.Runtime, "*.compiled"))
		if err != nil || len(done) != test.apart {
			t.Errorf("%s: got compiled files %q, error %v", name, done, err)
		}
	}
	cfg, err := engines.Settings{Engines: t.TempDir()}.Config(1)
	if err != nil || cfg.Compiler != program {
		t.Errorf("got compiler %q, error %v, want %q", cfg.Compiler, err, program)
	}
}
