package process

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// collector returns the settings in force, and sets them back after the test.
func collector(t *testing.T) (percent int, limit int64) {
	t.Helper()
	percent = debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return percent, debug.SetMemoryLimit(-1)
}

func TestCollectorIsSetWhereNothingElseIs(t *testing.T) {
	percent, limit := collector(t)
	t.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
	for _, variable := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Setenv(variable, "") // so that it is set back
		if err := os.Unsetenv(variable); err != nil {
			t.Fatal(err)
		}
	}
	TuneCollector(t.Context(), 0, zerolog.Nop())
	if is, most := collector(t); is <= 100 || most <= 0 || most == math.MaxInt64 {
		t.Errorf("the collector runs at %d %% and from %d bytes", is, most)
	}
}

// Whatever is alive, the collector lets the heap grow as far; with Go's own GOGC,
// it would run twenty times as often here.
func TestCollectorRests(t *testing.T) {
	is, limit := collector(t)
	t.Cleanup(func() { debug.SetGCPercent(is); debug.SetMemoryLimit(limit) })
	const mib = 1 << 20
	for _, c := range []struct {
		heap, alive, roots int64
		want               int
	}{
		{80 * mib, 0, 0, 2000}, {80 * mib, 6 * mib, 2 * mib, 925}, {80 * mib, 16 * mib, 0, 400},
		{80 * mib, 40 * mib, 0, 100}, {80 * mib, 1024 * mib, 0, 100}, {160 * mib, 20 * mib, 0, 700},
	} {
		if got := percent(c.heap, c.alive, c.roots); got != c.want {
			t.Errorf("a heap of %d bytes of which %d are alive, with %d of roots: GOGC is %d, want %d", c.heap, c.alive, c.roots, got, c.want)
		}
	}
	rest(t.Context(), 64*mib)
	kept := make([]byte, 24*mib)
	// What is kept, and little else, is alive.
	for deadline := time.Now().Add(30 * time.Second); ; runtime.GC() {
		goal := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}, {Name: "/gc/heap/live:bytes"}}
		metrics.Read(goal)
		if got := goal[0].Value.Uint64(); got > 63*mib && got < 65*mib && goal[1].Value.Uint64() > uint64(len(kept)) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the heap grows to %d bytes", goal[0].Value.Uint64())
		}
	}
	runtime.KeepAlive(kept)
}

func TestVariablesOfGoWin(t *testing.T) {
	percent, limit := collector(t)
	t.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
	// What the runtime has read from them at its start.
	debug.SetGCPercent(70)
	debug.SetMemoryLimit(1 << 40)
	t.Setenv("GOGC", "70")
	t.Setenv("GOMEMLIMIT", "1TiB")
	TuneCollector(t.Context(), 0, zerolog.Nop())
	if is, most := collector(t); is != 70 || most != 1<<40 {
		t.Errorf("the collector runs at %d %% and from %d bytes; want what was set", is, most)
	}
}
