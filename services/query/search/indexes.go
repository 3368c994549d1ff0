package search

import (
	"context"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
)

// Config holds the settings of the search indexes.
type Config struct {
	Index string `env:"ASSAY_INDEX" doc:"path of the search indexes, to which the name of an area is appended; used by this process only; default: temporary files, built from the tables at every start"`
}

// Indexes makes the searchers of areas.
type Indexes struct {
	Config
	// At returns a function that opens the index at a path, or a temporary one if the path is empty; see Options.
	At       func(path string) func(ctx context.Context, rebuild bool) (Index, error)
	Bus      *bus.Bus
	Log      zerolog.Logger
	Registry prometheus.Registerer
}

// Searcher returns the searcher of an area. source returns the items; its log contains the name of the area.
func (x Indexes) Searcher(area string, source func(zerolog.Logger) Source) *Searcher {
	path := x.Index
	if path != "" {
		path += "." + area
	}
	log := x.Log.With().Str("area", area).Logger()
	return New(Options{Source: source(log), Bus: x.Bus, Area: area, Open: x.At(path), Log: log, Registry: x.Registry})
}

// RemoveEarlier removes the index of versions of Assay that had a single one. Errors are ignored: the file is only not used.
func (c Config) RemoveEarlier() {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if c.Index != "" {
			_ = os.Remove(c.Index + suffix)
		}
	}
}
