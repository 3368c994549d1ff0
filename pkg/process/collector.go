package process

import (
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/rs/zerolog"
)

const (
	// collectorRest is how much of what is alive, in percent, is allocated before
	// the collector runs, where GOGC does not say. A service has some tens of MB
	// alive: with Go's own 100, what it does for a small file was collected a
	// sixth of its time.
	collectorRest = 400
	// memoryShare is the part of the container's memory, or of the machine's where
	// it is not in one, from which on the collector runs more often, where
	// GOMEMLIMIT does not say.
	memoryShare = 0.9
)

// TuneCollector sets what GOGC and GOMEMLIMIT leave open, for the whole process.
// Serve calls it.
func TuneCollector(log zerolog.Logger) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectorRest)
	}
	// It heeds GOMEMLIMIT itself.
	_, err := memlimit.Set(memlimit.WithRatio(memoryShare),
		memlimit.WithProvider(memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)))
	if err != nil {
		log.Warn().Err(err).Msg("the memory of this machine is not known; GOMEMLIMIT bounds the heap where it must be bounded")
	}
}
