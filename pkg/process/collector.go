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
	// usualHeap is what the heap grows to before the collector runs, in bytes, where
	// Options do not say. A share of what is alive, which is what GOGC gives, is
	// little in a service that has some MB alive, so that it collects for a sixth of
	// its time, and much in one that has many: the peak of memory then follows what
	// is alive five times over.
	usualHeap = 80 << 20
	// leastPercent is the least that GOGC is set to, Go's own default.
	leastPercent = 100
	// leastHeap is what Go lets the heap grow to at a GOGC of 100, whatever is alive,
	// and in proportion at another (defaultHeapMinimum in runtime/mgcpacer.go).
	leastHeap = 4 << 20
	// memoryShare is the part of the container's memory, or of the machine's where
	// it is not in one, from which on the collector runs more often, where
	// GOMEMLIMIT does not say.
	memoryShare = 0.9
)

// TuneCollector sets what GOGC and GOMEMLIMIT leave open, for the whole process:
// the collector runs when the heap has so many bytes, or twice what is alive if
// that is more, up to nine tenths of the memory there is. With 0 bytes it is 80 MiB.
// It follows what is alive until ctx ends. Serve calls it.
func TuneCollector(ctx context.Context, heap int64, log zerolog.Logger) {
	if heap == 0 {
		heap = usualHeap
	}
	if os.Getenv("GOGC") == "" {
		rest(ctx, heap)
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
func rest(ctx context.Context, heap int64) {
	if ctx.Err() != nil {
		return
	}
	sizes := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(sizes)
	alive := sizes[0].Value.Uint64()
	debug.SetGCPercent(percent(heap, int64(alive), int64(sizes[1].Value.Uint64()+sizes[2].Value.Uint64())))
	// With a pointer in it, it shares its place with nothing that lives on.
	runtime.AddCleanup(new(*byte), func(heap int64) { rest(ctx, heap) }, heap)
}

// percent is the GOGC with which the collector runs at such a heap, of which so many
// bytes are alive. Go takes it of what is alive and of the roots, which are stacks
// and globals.
func percent(heap, alive, roots int64) int {
	return int(max(leastPercent, min(100*(heap-alive)/max(alive+roots, 1), 100*heap/leastHeap)))
}
