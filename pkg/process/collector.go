package process

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/rs/zerolog"
)

const (
	// collectorRest is how many bytes are allocated from one run of the collector to
	// the next, where GOGC does not say. A share of what is alive, which is what
	// GOGC gives, is little in a service that has some MB alive, so that it collects
	// for a sixth of its time, and much in one that has many: the peak of memory
	// then follows what is alive five times over.
	collectorRest = 64 << 20
	// leastPercent is the least that GOGC is set to, Go's own default.
	leastPercent = 100
	// memoryShare is the part of the container's memory, or of the machine's where
	// it is not in one, from which on the collector runs more often, where
	// GOMEMLIMIT does not say.
	memoryShare = 0.9
)

// TuneCollector sets what GOGC and GOMEMLIMIT leave open, for the whole process:
// the heap grows by 64 MiB between two runs of the collector, or by what is alive
// if that is more, up to nine tenths of the memory there is. It follows what is
// alive until ctx ends. Serve calls it.
func TuneCollector(ctx context.Context, log zerolog.Logger) {
	if os.Getenv("GOGC") == "" {
		rest(ctx)
	}
	// It heeds GOMEMLIMIT itself.
	_, err := memlimit.Set(memlimit.WithRatio(memoryShare),
		memlimit.WithProvider(memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)))
	if err != nil {
		log.Warn().Err(err).Msg("the memory of this machine is not known; GOMEMLIMIT bounds the heap where it must be bounded")
	}
}

// rest sets GOGC for what is alive, and again after each run of the collector,
// which is when something that nobody holds is found to be gone.
func rest(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	alive := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(alive)
	debug.SetGCPercent(percent(alive[0].Value.Uint64()))
	// With a pointer in it, it shares its place with nothing that lives on.
	runtime.AddCleanup(new(*byte), rest, ctx)
}

// percent is the GOGC that gives the rest to a heap of which so many bytes are alive.
func percent(alive uint64) int {
	return int(max(leastPercent, 100*collectorRest/max(alive, 1<<20)))
}
