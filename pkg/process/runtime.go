package process

import (
	"cmp"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/rs/zerolog"
)

const (
	// defaultHeap is the default of Runtime.Heap. Without it a service with a few MB of live heap spends a
	// sixth of its time on garbage collection.
	defaultHeap = 80 << 20
	// memoryShare is the fraction of the container's memory, or of the machine's, above which the
	// collector runs more often, unless GOMEMLIMIT is set.
	memoryShare = 0.9
)

// Runtime contains the settings of the Go runtime for the entire process. The variables GOGC, GOMEMLIMIT
// and GOMAXPROCS override them. All deviations from Go's defaults are here.
type Runtime struct {
	// Heap is twice the number of bytes that are allocated between two collections, in addition to Growth
	// percent of the live heap. 80 MiB by default.
	Heap int64
	// Growth is the GC percentage, 100 by default. A lower value trades processor time for memory if much
	// of the heap is live.
	Growth int
	// Syncs is the number of goroutines that can wait for a disk sync while the processors are busy with
	// other goroutines. 0 by default.
	//
	// A goroutine in a sync keeps its P until the runtime's monitor retakes it. The monitor then
	// polls every 20 µs (sysmon and retake in runtime/proc.go), and each retake costs two thread
	// switches.
	Syncs int
}

// Apply applies the settings until the caller calls undo. Above nine tenths of the available memory the
// collector runs more often.
//
// Apply allocates a block that is never used: Go counts it as live, so Growth percent of it is half of
// Heap, but the kernel provides no memory for it. A GOGC that is adjusted after each collection would be
// too high temporarily when the live heap grows quickly: 60 requests of 15.6 MB took 1.4 GB instead of 0.2
// GB.
func (r Runtime) Apply(log zerolog.Logger) (undo func()) {
	// memlimit.Set respects GOMEMLIMIT.
	limit, err := memlimit.Set(memlimit.WithRatio(memoryShare),
		memlimit.WithProvider(memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)))
	if err != nil {
		log.Warn().Err(err).Msg("the memory size of this machine is unknown; set GOMEMLIMIT to limit the heap")
	}
	var ballast []byte
	growth := 100
	if os.Getenv("GOGC") == "" {
		size := cmp.Or(r.Heap, defaultHeap) / 2 * 100 / int64(cmp.Or(r.Growth, growth))
		if limit > 0 {
			size = min(size, limit/4) // the limit includes the ballast
		}
		ballast = make([]byte, size)
		growth = debug.SetGCPercent(cmp.Or(r.Growth, growth))
	}
	threads := runtime.GOMAXPROCS(0)
	if r.Syncs > 0 && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(threads + r.Syncs)
	}
	return func() {
		runtime.KeepAlive(ballast)
		if ballast != nil {
			debug.SetGCPercent(growth)
		}
		if runtime.GOMAXPROCS(0) != threads {
			runtime.GOMAXPROCS(threads)
		}
	}
}
