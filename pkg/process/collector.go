package process

import (
	"context"
	"os"
	"runtime"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/rs/zerolog"
)

const (
	// defaultHeap is how many bytes the heap grows to before the collector runs, in
	// addition to twice what is alive, where Options do not say. Without it a service
	// with a few MB alive spends a sixth of its time on collections.
	defaultHeap = 80 << 20
	// memoryShare is the part of the container's memory, or of the machine's where
	// it is not in one, from which on the collector runs more often, where
	// GOMEMLIMIT does not say.
	memoryShare = 0.9
)

// TuneCollector sets what GOGC and GOMEMLIMIT leave open, for the whole process: the
// collector runs when the heap has grown to heap bytes and twice what is alive, at
// most to nine tenths of the memory there is. With 0 bytes it is 80 MiB. It holds until
// ctx ends. Serve calls it.
//
// It allocates half of heap and never touches it: Go counts it as alive and collects
// at twice that, and the kernel backs it with no memory. A GOGC that is adjusted after
// each collection instead is too high for a while when much comes alive at once: 60
// requests of 15.6 MB took 1.4 GB in place of 0.2.
func TuneCollector(ctx context.Context, heap int64, log zerolog.Logger) {
	if heap == 0 {
		heap = defaultHeap
	}
	if os.Getenv("GOGC") == "" {
		ballast := make([]byte, heap/2)
		context.AfterFunc(ctx, func() { runtime.KeepAlive(ballast) })
	}
	// It heeds GOMEMLIMIT itself.
	_, err := memlimit.Set(memlimit.WithRatio(memoryShare),
		memlimit.WithProvider(memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)))
	if err != nil {
		log.Warn().Err(err).Msg("the memory of this machine is not known; set GOMEMLIMIT where the heap must be bounded")
	}
}
