// Package live streams outcomes and other events of areas to browsers and other clients.
//
// One tail of each stream fills a ring with the newest events, and the ring serves every reader of
// the process. It also wakes requests that wait for an item. A reader whose position is no longer
// in the ring reads the stream itself, in short turns of which only a few run concurrently. A slow
// reader does not delay others.
package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/web"
)

// Config holds the settings of live events.
type Config struct {
	Readers   int `env:"ASSAY_LIVE_READERS" envDefault:"10000" use:"often" doc:"maximum number of open live event streams"`
	PerClient int `env:"ASSAY_LIVE_READERS_PER_CLIENT" envDefault:"1000" use:"often" doc:"maximum number of open live event streams per client address; all clients of a proxy share its address"`
}

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	switch {
	case c.Readers < 1:
		return fmt.Errorf("ASSAY_LIVE_READERS is %d: must be at least 1", c.Readers)
	case c.PerClient < 1:
		return fmt.Errorf("ASSAY_LIVE_READERS_PER_CLIENT is %d: must be at least 1", c.PerClient)
	}
	return nil
}

// Limits of one process.
const (
	ringEntries = 8192
	ringSignals = 1024
	ringBytes   = 8 << 20
	// turns is the maximum number of readers that read the stream concurrently, each for at most
	// turnTime or turnEvents. A reader that has waited turnWait for a turn gets a heartbeat before
	// it waits again.
	turns      = 8
	turnTime   = 2 * time.Second
	turnEvents = 5000
	turnWait   = 5 * time.Second
	// loadWait limits how long the first requests of a process wait for the ring.
	loadWait = 3 * time.Second
)

// Options are the dependencies of live events.
type Options struct {
	Bus      *bus.Bus
	Log      zerolog.Logger
	Registry prometheus.Registerer
}

// Hub is a process's only subscription to the outcomes and to the events that areas add. Run must be running.
type Hub struct {
	bus         *bus.Bus
	log         zerolog.Logger
	metrics     metrics
	facets      map[string]func([]byte) any // by area
	outcomes    *source
	sources     []*source // the outcomes come first
	description string
	turns       chan struct{}
	limiter     *web.Limiter
}

// New returns a hub; it sends no request.
func New(cfg Config, o Options) *Hub {
	h := &Hub{
		bus: o.Bus, log: o.Log, metrics: newMetrics(o.Registry), facets: map[string]func([]byte) any{},
		turns: make(chan struct{}, turns), limiter: web.NewHeldLimiter("streams", cfg.Readers, cfg.PerClient), description: description,
	}
	h.outcomes = h.newSource("", bus.StreamOutcomes, "", ringEntries, h.outcome)
	h.sources = []*source{h.outcomes}
	return h
}

// FilterBy makes the streams of an area filterable by a facet. facetOf returns the facet of an outcome,
// given its data. It is called at most once for each outcome in the ring. FilterBy must be called
// before Run.
func (h *Hub) FilterBy(area string, facetOf func(data []byte) any) { h.facets[area] = facetOf }

// OnOutcome calls see once for each outcome, in order. end is "completed" or "failed". The first outcomes are
// those in the ring when the process starts. see must return quickly. OnOutcome must be called before Run.
func (h *Hub) OnOutcome(see func(area, end string, d bus.Delivery)) {
	h.outcomes.seen = func(d bus.Delivery) {
		if subject := strings.SplitN(d.Subject, ".", tokens); len(subject) == tokens {
			see(subject[areaToken], subject[endToken], d)
		}
	}
}

// Watch subscribes to the outcomes of one item. The channel receives a value after outcomes were
// published or may have been missed, and none while the stream is unavailable. The caller must
// call stop.
func (h *Hub) Watch(area, id string) (seen <-chan struct{}, stop func()) {
	key, wake := groupKey{area: area, id: id}, make(chan struct{}, 1)
	h.outcomes.ring.join(key, wake)
	return wake, func() { h.outcomes.ring.leave(key, wake) }
}
