package status

import (
	"context"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
)

// noArea is the area of dead letters whose message belongs to no area.
const noArea = "none"

// DeadLetters counts the stored dead letters by area and class, for /metrics. It reads each dead letter once; after that, the
// state of the stream shows which were deleted.
type DeadLetters struct {
	bus     *bus.Bus
	areas   []Area
	log     zerolog.Logger
	gauge   *prometheus.GaugeVec
	created time.Time           // of the stream
	newest  uint64              // sequence of the newest dead letter that was read
	stored  map[uint64]deadKind // by sequence
}

// deadKind is what dead letters are counted by.
type deadKind struct {
	area  string
	class event.DeadClass
}

// NewDeadLetters returns counts of the dead letters of the areas, as metrics of reg. Work must be running.
func NewDeadLetters(b *bus.Bus, log zerolog.Logger, reg prometheus.Registerer, areas []Area) *DeadLetters {
	d := &DeadLetters{bus: b, areas: areas, log: log, stored: map[uint64]deadKind{}, gauge: promauto.With(reg).NewGaugeVec(prometheus.GaugeOpts{
		Name: "assay_dead_letters",
		Help: "Stored dead letters, by area (none: of no area) and class of the fault (crashed, timeout, unavailable, rejected, configuration, missing, event, other).",
	}, []string{"area", "reason"})}
	d.report()
	return d
}

// Work counts the dead letters until ctx is done. It returns nil.
func (d *DeadLetters) Work(ctx context.Context) error {
	tick := time.NewTicker(sampleInterval)
	defer tick.Stop()
	for {
		if err := d.read(ctx); err != nil && ctx.Err() == nil {
			d.log.Debug().Err(err).Msg("cannot count the dead letters")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// read counts dead letters that are new, and no longer counts those that were deleted.
func (d *DeadLetters) read(ctx context.Context) error {
	stream, err := d.bus.JS.Stream(ctx, bus.StreamDead)
	if err != nil {
		return err
	}
	info := stream.CachedInfo()
	state := info.State
	same := info.Created.Equal(d.created) && state.LastSeq >= d.newest
	if same && state.LastSeq == d.newest && state.Msgs == uint64(len(d.stored)) {
		return nil
	}
	if !same { // the stream was created again
		clear(d.stored)
		d.created, d.newest = info.Created, 0
	}
	if info, err = stream.Info(ctx, jetstream.WithDeletedDetails(true)); err != nil {
		return err
	}
	for sequence := range d.stored {
		if _, deleted := slices.BinarySearch(info.State.Deleted, sequence); deleted || sequence < info.State.FirstSeq {
			delete(d.stored, sequence)
		}
	}
	for letter, err := range d.bus.DeadLetters(ctx, bus.DeadFilter{After: d.newest}) {
		if err != nil {
			return err
		}
		d.stored[letter.Sequence], d.newest = d.kind(letter), letter.Sequence
	}
	d.newest = max(d.newest, info.State.LastSeq)
	d.report()
	return nil
}

func (d *DeadLetters) kind(l bus.DeadLetter) deadKind {
	if i := slices.IndexFunc(d.areas, func(a Area) bool { return a.Work.Stores(l.Subject) }); i >= 0 {
		return deadKind{d.areas[i].Name, l.Class}
	}
	return deadKind{noArea, l.Class}
}

// report sets all series.
func (d *DeadLetters) report() {
	counts := map[deadKind]int{}
	for _, kind := range d.stored {
		counts[kind]++
	}
	for _, area := range append([]Area{{Name: noArea}}, d.areas...) {
		for _, class := range event.DeadClasses() {
			d.gauge.WithLabelValues(area.Name, string(class)).Set(float64(counts[deadKind{area.Name, class}]))
		}
	}
}
