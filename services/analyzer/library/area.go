// Package library runs the workflows of the library's files: their steps, their joins, and erasure.
//
// Every step has its own message. The handler runs the step, stores the results and completes the step with one
// conditional write. The handler that completes the last step completes the file. A message may be redelivered at any
// time; the tables determine the remaining work.
package library

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/convert"
	"github.com/assay-project/assay/pkg/extract/pdf"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/structure"
	"github.com/assay-project/assay/pkg/extract/svg"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/services/analyzer/library/remote"
	"github.com/assay-project/assay/services/analyzer/library/step/model"
	"github.com/assay-project/assay/services/analyzer/sweeper"
	"github.com/assay-project/assay/services/analyzer/work"
)

// Area processes files of the library.
type Area struct {
	cfg       Config
	store     *library.Store
	bucket    *blob.Store
	bus       *bus.Bus
	worker    *work.Worker
	quotas    *quota.Quotas
	memory    *budget.Budget
	decoder   *pixels.Decoder
	pdf       *pdf.Engine
	svg       *svg.Engine
	kit       *structure.Kit
	pages     *remote.Fetcher
	converter *convert.Converter
	steps     steps
	progress  progress
	log       zerolog.Logger
}

// New returns the area for open backends. compiled configures the compilation of the engines. The caller must close
// the area.
func New(cfg Config, compiled wasm.Config, backends *backend.Connections, worker *work.Worker, quotas *quota.Quotas, log zerolog.Logger) (*Area, error) {
	converter, err := convert.New(cfg.Converter)
	if err != nil {
		return nil, err
	}
	memory := budget.New(cfg.Memory)
	decoder, pdf, svg := pixels.NewDecoder(memory, compiled), pdf.New(compiled), svg.New(compiled)
	kit, pages := structure.New(cfg.Structures.RDKit, compiled, sessions()), remote.New(cfg.Imports.Policy())
	store := library.NewStore(backends.DB, cfg.Tables)
	environment := model.Environment{File: store.File, Kit: kit}
	return &Area{
		cfg: cfg, store: store, bucket: backends.Bucket, bus: backends.Bus, worker: worker, quotas: quotas, log: log,
		memory: memory, decoder: decoder, pdf: pdf, svg: svg, kit: kit, pages: pages, converter: converter, steps: newSteps(cfg, decoder, pdf, svg, kit, pages, converter, environment),
	}, nil
}

// Name returns the area's name.
func (a *Area) Name() string { return library.Name }

// Prepare waits until PDFium and, if enabled, RDKit are compiled, or ctx is done. Each of the other
// engines is compiled when it is first used, which takes about a second.
func (a *Area) Prepare(ctx context.Context) error {
	return errors.Join(a.pdf.Prepare(ctx), a.kit.Prepare(ctx))
}

// Close releases the engines. It must not be called while a step is running. It returns wasm.ErrCompiling
// if ctx is done during a compilation.
func (a *Area) Close(ctx context.Context) error {
	a.pages.Close()
	a.converter.Close()
	return errors.Join(a.pdf.Close(ctx), a.svg.Close(ctx), a.kit.Close(ctx), a.decoder.Close(ctx))
}

// Check returns an error if the tables cannot be used.
func (a *Area) Check(ctx context.Context) error { return a.store.Check(ctx) }

// Consumers returns a consumer for each class of steps. Each consumer of CPU-bound steps runs one step of an owner per
// processor, and one more for other owners.
func (a *Area) Consumers() []bus.Consumer {
	// The number of attempts is the same in every area. An error that is neither permanent nor caused by
	// a panic or timeout comes from a backend. With fewer attempts, a backend outage of a few seconds
	// would fail steps.
	processors := runtime.GOMAXPROCS(0)
	var all []bus.Consumer
	for class, places := range map[extract.Class]struct{ parallel, share int }{
		extract.ClassLight:  {a.worker.Config.Parallel, work.Share(a.worker.Config.Parallel)},
		extract.ClassRender: {processors + 1, processors}, extract.ClassEngine: {processors + 1, processors}, extract.ClassRecords: {processors + 1, processors},
		extract.ClassFetch: {parallelFetches, work.Share(parallelFetches)}, extract.ClassTraining: {parallelTrainings, 1},
	} {
		all = append(all, bus.Consumer{
			Name: library.Consumer(class), Area: library.Name, Stream: library.WorkStream, Filter: library.StepSubjects(class),
			Parallel: places.parallel, Share: places.share, Lease: a.worker.Config.Lease, Attempts: a.worker.Config.Attempts, Drain: a.worker.Config.Drain,
			Bounds: a.bounds, Handle: a.handle, GiveUp: a.giveUp,
		})
	}
	return all
}

// sessions returns the maximum number of concurrent RDKit sessions: one for each place of the two classes of steps that
// need one. The places are shared among owners, so a session never waits for those of another owner.
func sessions() int { return 2 * (runtime.GOMAXPROCS(0) + 1) }

// parallelTrainings is the number of steps of models that run concurrently, of different owners. Each uses all processors.
const parallelTrainings = 2

// parallelFetches is the number of steps that run concurrently to fetch pages or their pictures.
const parallelFetches = 8

// ownTime bounds the steps that the area implements itself: start, finish and erase.
const ownTime = time.Minute

func (a *Area) bounds(d *bus.Delivery) bus.Bounds {
	if s, err := read(d); err == nil {
		if implementation, ok := a.steps.of(s); ok {
			return implementation.Bounds(int64(s.Size))
		}
	}
	return bus.Bounds{Time: ownTime}
}

// read decodes the event of a delivery and caches it.
func read(d *bus.Delivery) (*event.LibraryStep, error) {
	if s, ok := d.Event.(*event.LibraryStep); ok {
		return s, nil
	}
	s := &event.LibraryStep{}
	if err := d.Unmarshal(d.Data, s); err != nil {
		return nil, bus.Permanent(err)
	}
	d.Event = s
	return s, nil
}

// Sweep repairs workflows that have no message, and deletes data that is no longer needed.
func (a *Area) Sweep(ctx context.Context, r *sweeper.Run) error {
	return sweep{a, &sweeper.Counting{Quotas: a.quotas, Area: library.Name, Exist: a.store.Exist}}.run(ctx, r)
}
