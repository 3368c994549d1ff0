// Package photojob describes and edits photos through providers.
package photojob

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/photo"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/policy"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/local"
	"github.com/assay-project/assay/services/analyzer/sweeper"
	"github.com/assay-project/assay/services/analyzer/work"
)

// Area processes photo jobs.
type Area struct {
	cfg         Config
	store       *photojob.Store
	temp, final *blob.Store
	bus         *bus.Bus
	uploads     *upload.Announcer
	outcomes    *photojob.Outcomes
	worker      *work.Worker
	quotas      *quota.Quotas
	decoder     *pixels.Decoder
	catalog     *catalog
	log         zerolog.Logger
}

// New returns the area for open backends. The caller must close it.
func New(cfg Config, compiled wasm.Config, backends *backend.Connections, worker *work.Worker, quotas *quota.Quotas, log zerolog.Logger, reg prometheus.Registerer) (*Area, error) {
	decoder := pixels.NewDecoder(budget.New(cfg.Memory), compiled)
	stub := local.New(decoder, photo.Config{Limits: pixels.Default, Faces: cfg.Faces})
	store := photojob.NewStore(backends.DB, cfg.Names)
	temp, final := backends.Bucket.In(cfg.Names.TempBucket()), backends.Bucket.In(cfg.Names.FinalBucket())
	return &Area{
		cfg: cfg, store: store, temp: temp, final: final, bus: backends.Bus, worker: worker, quotas: quotas,
		decoder: decoder, log: log,
		catalog: newCatalog(cfg, policy.NewStore(platform.NewStore(backends.DB, cfg.Platform)), backends.Bus, stub, decoder, newMetrics(reg)),
		uploads: upload.NewAnnouncer(backends.Bus, log), outcomes: &photojob.Outcomes{Store: store, Final: final.Bucket, Bus: backends.Bus},
	}, nil
}

// Name returns the area's name.
func (a *Area) Name() string { return photojob.Name }

// Close releases the photo codecs.
func (a *Area) Close(ctx context.Context) error { return a.decoder.Close(ctx) }

// Check returns an error if the table cannot be used.
func (a *Area) Check(ctx context.Context) error { return a.store.Check(ctx) }

// attemptTime bounds one attempt, including the time spent waiting for memory and processors.
const attemptTime = 10 * time.Minute

// Consumers returns a consumer for each provider, so that an unavailable provider delays only its
// own work.
func (a *Area) Consumers() []bus.Consumer {
	var all []bus.Consumer
	for _, name := range photojob.Providers() {
		c := work.Consumer(a.worker, bus.Consumer{
			Name: photojob.Consumer(name), Area: photojob.Name,
			Stream: photojob.WorkStream, Filter: photojob.UploadedSubject(name, "*"),
			Bounds: bounds, Memory: a.cfg.Memory,
		}, steps{a})
		if name != photojob.Stub {
			c.Gate = a.catalog.gate(name)
		}
		all = append(all, a.endingBatches(c))
	}
	return all
}

// endingBatches makes the consumer announce the end of a batch after a job has ended and before its
// message is acknowledged. A redelivery after a crash repeats the announcement.
func (a *Area) endingBatches(c bus.Consumer) bus.Consumer {
	handle, giveUp := c.Handle, c.GiveUp
	ended := func(ctx context.Context, d bus.Delivery) error {
		uploaded, err := readUploaded(&d)
		if err != nil {
			return nil // a malformed message names no batch
		}
		return a.outcomes.BatchEnded(ctx, uploaded.BatchId)
	}
	c.Handle = func(ctx context.Context, d bus.Delivery) error {
		if err := handle(ctx, d); err != nil {
			return err
		}
		return ended(ctx, d)
	}
	c.GiveUp = func(ctx context.Context, d bus.Delivery, cause error) (bus.Failure, error) {
		f, err := giveUp(ctx, d, cause)
		if err != nil {
			return f, err
		}
		f.Attempts = attemptsOf(d.Attempt, cause)
		return f, ended(ctx, d)
	}
	return c
}

// bounds returns the limits of an attempt. The decoder bounds the memory for the decoded picture,
// whose size in pixels is not known yet.
func bounds(d *bus.Delivery) bus.Bounds {
	uploaded, err := readUploaded(d)
	if err != nil {
		return bus.Bounds{Time: attemptTime}
	}
	return bus.Bounds{Time: attemptTime, Memory: 2 * int64(uploaded.Size)}
}

// readUploaded decodes the event of a delivery and caches it.
func readUploaded(d *bus.Delivery) (*event.PhotoUploaded, error) {
	if read, ok := d.Event.(*event.PhotoUploaded); ok {
		return read, nil
	}
	uploaded := &event.PhotoUploaded{}
	if err := d.Unmarshal(d.Data, uploaded); err != nil {
		return nil, err
	}
	d.Event = uploaded
	return uploaded, nil
}

// Sweep repairs jobs that have no outstanding message, and deletes objects that are no longer
// needed.
func (a *Area) Sweep(ctx context.Context, r *sweeper.Run) error {
	s := sweep{steps{a}, &sweeper.Counting{Quotas: a.quotas, Area: photojob.Name, Exist: a.exist}}
	return errors.Join(
		s.counting.Sweep(ctx, r),
		r.Tags(ctx, a.exist),
		sweeper.Sweep(ctx, r, s, objects{s.steps, a.temp}),
		sweeper.WalkObjects(ctx, r, "final objects", objects{s.steps, a.final}),
	)
}
