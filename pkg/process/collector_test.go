package process

import (
	"math"
	"os"
	"runtime/debug"
	"testing"

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
	TuneCollector(zerolog.Nop())
	if is, most := collector(t); is != collectorRest || most <= 0 || most == math.MaxInt64 {
		t.Errorf("the collector runs at %d %% and from %d bytes", is, most)
	}
}

func TestVariablesOfGoWin(t *testing.T) {
	percent, limit := collector(t)
	t.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
	// What the runtime has read from them at its start.
	debug.SetGCPercent(70)
	debug.SetMemoryLimit(1 << 40)
	t.Setenv("GOGC", "70")
	t.Setenv("GOMEMLIMIT", "1TiB")
	TuneCollector(zerolog.Nop())
	if is, most := collector(t); is != 70 || most != 1<<40 {
		t.Errorf("the collector runs at %d %% and from %d bytes; want what was set", is, most)
	}
}
