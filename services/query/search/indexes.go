package search

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/saved"
)

// Config holds the settings of the search indexes.
type Config struct {
	Index string `env:"ASSAY_INDEX" secret:"true" doc:"path of the search indexes, to which the name of an area is appended, used by this process only; or the URL of a PostgreSQL database that all query processes share, such as postgres://assay:PASSWORD@host/search; default: temporary files, built from the tables at every start"`
}

// Indexes makes the searchers of areas.
type Indexes struct {
	Config
	// At returns a function that opens the index of an area, given ASSAY_INDEX; see Options.
	At       func(index, area string) func(ctx context.Context, rebuild bool) (Index, error)
	Bus      *bus.Bus
	Tags     *saved.Tags
	Log      zerolog.Logger
	Registry prometheus.Registerer
}

// Searcher returns the searcher of an area. source returns the items; its log contains the name of the area.
func (x Indexes) Searcher(area string, source func(zerolog.Logger) Source) *Searcher {
	log := x.Log.With().Str("area", area).Logger()
	return New(Options{Source: source(log), Bus: x.Bus, Area: area, Open: x.At(x.Index, area), Tags: x.Tags, Log: log, Registry: x.Registry})
}
