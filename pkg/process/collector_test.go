package process

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
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
	TuneCollector(t.Context(), zerolog.Nop())
	if is, most := collector(t); is <= 100 || most <= 0 || most == math.MaxInt64 {
		t.Errorf("the collector runs at %d %% and from %d bytes", is, most)
	}
}

// Whatever is alive, the collector lets as much be allocated; with Go's own GOGC,
// it would run a hundred times as often here.
func TestCollectorRests(t *testing.T) {
	is, limit := collector(t)
	t.Cleanup(func() { debug.SetGCPercent(is); debug.SetMemoryLimit(limit) })
	for alive, want := range map[uint64]int{0: 6400, 8 << 20: 800, 64 << 20: 100, 1 << 30: 100} {
		if got := percent(alive); got != want {
			t.Errorf("%d bytes alive: GOGC is %d, want %d", alive, got, want)
		}
	}
	rest(t.Context())
	kept := make([]byte, 32<<20)
	for deadline := time.Now().Add(30 * time.Second); ; runtime.GC() {
		if got := debug.SetGCPercent(100); got > 150 && got <= 200 {
			break // what is kept, and little else, is alive
		}
		if time.Now().After(deadline) {
			t.Fatal("the collector's rest does not follow what is alive")
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
	TuneCollector(t.Context(), zerolog.Nop())
	if is, most := collector(t); is != 70 || most != 1<<40 {
		t.Errorf("the collector runs at %d %% and from %d bytes; want what was set", is, most)
	}
}
