package process

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"github.com/rs/zerolog"
)

const mib = 1 << 20

// unset removes a variable until the test ends.
func unset(t *testing.T, name string) {
	t.Helper()
	t.Setenv(name, "") // restores the variable when the test ends
	if err := os.Unsetenv(name); err != nil {
		t.Fatal(err)
	}
}

// collected returns the heap size in bytes at which the collector runs next, and the size of
// the live heap.
func collected() (goal, alive uint64) {
	runtime.GC()
	sizes := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(sizes)
	return sizes[0].Value.Uint64(), sizes[1].Value.Uint64()
}

func TestCollectorRunsAtHeapPlusTwiceTheLiveBytes(t *testing.T) {
	limit := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(limit) })
	unset(t, "GOGC")
	unset(t, "GOMEMLIMIT")
	before, _ := collected()
	t.Cleanup(Runtime{Heap: 64 * mib}.Apply(zerolog.Nop()))
	kept := make([]byte, 24*mib)
	goal, alive := collected()
	runtime.KeepAlive(kept)
	if want := before + 64*mib + 48*mib; goal < want-8*mib || goal > want+8*mib {
		t.Errorf("with 24 MiB live the collector runs at %d MiB, want about %d", goal/mib, want/mib)
	}
	if alive < 56*mib {
		t.Errorf("got %d MiB of live heap, want 56: a ballast of 32 and the 24 in use", alive/mib)
	}
	if most := debug.SetMemoryLimit(-1); most <= 0 || most == math.MaxInt64 {
		t.Errorf("got memory limit %d, want that of the machine", most)
	}
}

// TestCollectorRunsEarlierWithLowerGrowth checks that, with a lower growth, the time between collections of a small
// heap is the same, and a large one uses less memory.
func TestCollectorRunsEarlierWithLowerGrowth(t *testing.T) {
	limit := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(limit) })
	unset(t, "GOGC")
	unset(t, "GOMEMLIMIT")
	undo := Runtime{Heap: 64 * mib, Growth: 50}.Apply(zerolog.Nop())
	kept := make([]byte, 24*mib)
	goal, alive := collected()
	runtime.KeepAlive(kept)
	if alive < 88*mib || alive > 96*mib {
		t.Errorf("got %d MiB of live heap, want 88: a ballast of 64 and the 24 in use", alive/mib)
	}
	if grows, want := goal-alive, uint64((32+12)*mib); grows < want-2*mib || grows > want+8*mib {
		t.Errorf("the collector runs after %d MiB, want about %d", grows/mib, want/mib)
	}
	undo()
	if percent := debug.SetGCPercent(100); percent != 100 {
		t.Errorf("got GC percentage %d afterwards, want 100", percent)
	}
}

func TestVariablesOfGoTakePrecedence(t *testing.T) {
	limit := debug.SetMemoryLimit(1 << 40) // the runtime reads GOMEMLIMIT only at startup
	t.Cleanup(func() { debug.SetMemoryLimit(limit) })
	t.Setenv("GOGC", "70")
	t.Setenv("GOMEMLIMIT", "1TiB")
	t.Setenv("GOMAXPROCS", "1")
	before, _ := collected()
	threads := runtime.GOMAXPROCS(0)
	t.Cleanup(Runtime{Heap: 640 * mib, Syncs: 1}.Apply(zerolog.Nop()))
	if goal, _ := collected(); goal > before+64*mib {
		t.Errorf("with GOGC set: the collector runs at %d MiB, want at most %d", goal/mib, before/mib+64)
	}
	if most := debug.SetMemoryLimit(-1); most != 1<<40 {
		t.Errorf("got memory limit %d, want 1 TiB", most)
	}
	if got := runtime.GOMAXPROCS(0); got != threads {
		t.Errorf("with GOMAXPROCS set: got %d threads, want %d", got, threads)
	}
}

func TestSyncsAreRestored(t *testing.T) {
	limit := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(limit) })
	unset(t, "GOMAXPROCS")
	before := runtime.GOMAXPROCS(0)
	undo := Runtime{Syncs: 2}.Apply(zerolog.Nop())
	if got := runtime.GOMAXPROCS(0); got != before+2 {
		t.Errorf("got %d threads, want %d", got, before+2)
	}
	undo()
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("afterwards: got %d threads, want %d", got, before)
	}
}
