// Package sweeper finds items that have no outstanding message, and repairs them: the tables are
// the source of truth, and messages can be sent again.
//
// An area determines what is wrong with an item and how to repair it (Items, Objects). The walk
// over table and bucket, its rate, dry runs, the report, logs and metrics are the same for all
// areas.
//
// The swept tables have no index by status, so a sweep reads an entire table, at no more than
// Config.Rate items per second. A periodic run reads as many items as this rate allows until the next
// run, 30,000 per minute with the defaults, and the next run continues from there. A text file has
// two items and costs about 1.1 read units: both items are scanned, and the counterpart of each is
// read, which DynamoDB counts as half a unit. A feed item costs its share of a scan, and half a
// unit for the check of its text. Objects cost one LIST request per 1,000. With the default rate,
// an analyzer reads at most 500 items of a table per second, which takes about 12 million read units per
// day. Every analyzer sweeps. In a large installation, set ASSAY_SWEEP_EVERY=0 on most of them.
package sweeper

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/sweep"
)

// Config configures how often and how fast sweeps run.
type Config struct {
	Every         time.Duration `env:"ASSAY_SWEEP_EVERY" envDefault:"1m" use:"often" doc:"the interval between sweeps of the tables and the bucket; 0 disables them"`
	Rate          int           `env:"ASSAY_SWEEP_RATE" envDefault:"500" use:"often" doc:"the maximum number of items or objects that a sweep reads per second"`
	OrphanAge     time.Duration `env:"ASSAY_RESERVATION_EXPIRES" envDefault:"24h" doc:"the age at which a sweep deletes a reservation without an upload, or an object without an item; must exceed the sum of ASSAY_UPLOAD_EXPIRES and the longest upload"`
	UploadExpires time.Duration `env:"ASSAY_UPLOAD_EXPIRES" envDefault:"15m" doc:"lifetime of presigned upload requests; must equal the value of ingest"`
}

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	switch {
	case c.Every < 0:
		return fmt.Errorf("ASSAY_SWEEP_EVERY is %s: must be 0 or more", c.Every)
	case c.Rate < 1:
		return fmt.Errorf("ASSAY_SWEEP_RATE is %d: must be at least 1", c.Rate)
	case c.OrphanAge <= c.UploadExpires:
		return fmt.Errorf("ASSAY_RESERVATION_EXPIRES is %s: must be more than ASSAY_UPLOAD_EXPIRES, which is %s", c.OrphanAge, c.UploadExpires)
	}
	return nil
}

// Area is an area of the product.
type Area interface {
	Name() string
	// Findings returns the codes of its findings besides those of this package.
	Findings() []string
	// Sweep walks over the area's stored data with the function Sweep or Run.Walk, and reports each
	// finding with Run.Found. It returns an error if it cannot continue reading.
	Sweep(ctx context.Context, r *Run) error
}

// Options are the options of one run.
type Options struct {
	DryRun bool // report problems without repairing them
	// OutcomesSince makes the run publish again the outcome of every item that reached its final
	// state at or after this time, and restore lost dead letters. The zero value disables this.
	OutcomesSince time.Time
	// AllowOrphans makes the run delete orphans however many there are.
	AllowOrphans bool
	// Tell is called for each finding, never concurrently. Optional.
	Tell func(Finding)
}

// Finding is a problem that a sweep found.
type Finding struct {
	Area     string `json:"area"`
	Found    string `json:"found"` // a code such as LostMessage
	ID       string `json:"id"`    // the id of the item, or the key of an object
	Repaired bool   `json:"repaired"`
	Error    string `json:"error,omitempty"` // why it could not be repaired; "" if it was
}

// Report is the summary of a run.
type Report struct {
	Read     int           `json:"read"` // number of items and objects that were read
	Found    int           `json:"found"`
	Repaired int           `json:"repaired"`
	Failed   int           `json:"failed"` // number of findings that could not be repaired
	Took     time.Duration `json:"-"`
	DryRun   bool          `json:"dryRun"`
}

func (r *Report) add(more Report) {
	r.Read += more.Read
	r.Found += more.Found
	r.Repaired += more.Repaired
	r.Failed += more.Failed
}

// Sweeper sweeps the areas of one process. It executes one run at a time.
type Sweeper struct {
	cfg      Config
	lease    time.Duration
	bus      *bus.Bus
	reports  *sweep.Reports
	tags     *saved.Tags
	areas    []Area
	log      zerolog.Logger
	found    *prometheus.CounterVec
	running  sync.Mutex
	requests chan *request
	opened   time.Time // when the process started, by the wall clock and the monotonic clock; for Run.Old
	cursors  map[string]string
	tallies  map[string]map[Orphans]*tally // of walks in progress
}

// New returns a Sweeper of the areas. It skips items whose state changed within the lease of a
// worker, publishes outcomes to b, stores the reports of its runs in reports, and removes tags of missing items. Both may be nil.
func New[A Area](cfg Config, lease time.Duration, b *bus.Bus, reports *sweep.Reports, tags *saved.Tags, log zerolog.Logger, reg prometheus.Registerer, areas []A) *Sweeper {
	all := make([]Area, len(areas))
	found := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "assay_sweep_items_total", Help: "Findings of sweeps, by area and code, and whether they were repaired (yes, no).",
	}, []string{"area", "found", "repaired"})
	for i, area := range areas {
		all[i] = area
		for _, code := range append(codes(), area.Findings()...) {
			found.WithLabelValues(area.Name(), code, repairedYes)
			found.WithLabelValues(area.Name(), code, repairedNo)
		}
	}
	return &Sweeper{
		cfg: cfg, lease: lease, bus: b, reports: reports, tags: tags, areas: all, log: log, opened: time.Now(), cursors: map[string]string{}, tallies: map[string]map[Orphans]*tally{},
		requests: make(chan *request, 1), found: found,
	}
}

// Values of the label repaired.
const (
	repairedYes = "yes"
	repairedNo  = "no"
)

// Work sweeps at every interval, and when an operator requests it, until ctx is done. It returns nil.
func (s *Sweeper) Work(ctx context.Context) error {
	var timer <-chan time.Time
	if s.cfg.Every > 0 {
		tick := time.NewTicker(s.cfg.Every)
		defer tick.Stop()
		timer = tick.C
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case r := <-s.requests:
			r.run(ctx, s)
		case <-timer:
			// Errors are logged. The next run retries.
			_, _ = s.run(ctx, Options{}, max(1, int(s.cfg.Every.Seconds()*float64(s.cfg.Rate))))
		}
	}
}

// Once sweeps all data of every area. It returns an error if some data could not be read; the
// report covers the run up to that point.
func (s *Sweeper) Once(ctx context.Context, o Options) (Report, error) { return s.run(ctx, o, 0) }

// run sweeps once. budget is the maximum number of items for each walk; 0 means no limit.
func (s *Sweeper) run(ctx context.Context, o Options, budget int) (Report, error) {
	s.running.Lock()
	defer s.running.Unlock()
	began := time.Now()
	ctx, span := obs.Begin(ctx, "sweep")
	defer span.End()
	report := Report{DryRun: o.DryRun}
	var failed []error
	for _, area := range s.areas {
		r := &Run{Options: o, Lease: s.lease, now: began, area: area.Name(), sweeper: s, budget: budget, report: &Report{DryRun: o.DryRun}}
		since := time.Now()
		sweeping, part := obs.Start(ctx, "sweep "+area.Name())
		err := area.Sweep(sweeping, r)
		obs.End(part, err)
		if err != nil {
			failed = append(failed, fmt.Errorf("sweep of %s: %w", area.Name(), err))
		}
		r.report.Took = time.Since(since)
		report.add(*r.report)
		s.store(ctx, r, err)
	}
	report.Took = time.Since(began)
	err := errors.Join(failed...)
	if ctx.Err() != nil {
		return report, err
	}
	line := s.log.Info()
	if err != nil || report.Failed > 0 {
		line = s.log.Warn().Err(err)
	}
	line.Int("read", report.Read).Int("found", report.Found).Int("repaired", report.Repaired).Int("failed", report.Failed).
		Bool("dry_run", o.DryRun).Dur("duration_ms", report.Took).Msg("swept")
	return report, err
}

// Run is one run over one area.
type Run struct {
	Options
	Lease time.Duration // items changed within this time may be in use by a worker or a client

	now     time.Time // start of the run
	area    string
	sweeper *Sweeper
	budget  int
	report  *Report
	newest  []sweep.Finding // the newest findings, for the stored report

	tallies   map[Orphans]*tally // of the walk in progress
	stops     []sweep.Stop       // of the area, if stopsRead
	stopsRead bool
}

// Young reports whether something was written less than a lease ago, so that its writer may still
// be active. It only delays a check. A time in the future, caused by a clock that was stepped back
// or differs between machines, is not young.
func (r *Run) Young(written time.Time) bool {
	age := r.now.Sub(written)
	return age > -r.Lease && age < r.Lease
}

// Old reports whether an object or reservation is old enough to be deleted if it is an orphan or
// was never used. A wall clock that is stepped forward does not make anything old early: the time
// since the process started, by the monotonic clock, must be sufficient too.
func (r *Run) Old(written time.Time) bool { return r.Older(written, r.sweeper.cfg.OrphanAge) }

// Older is like Old, but with the given age.
func (r *Run) Older(written time.Time, least time.Duration) bool {
	opened := r.sweeper.opened
	steady := opened.Round(0).Add(r.now.Sub(opened)) // strips the monotonic reading
	return r.now.Sub(written) >= least && steady.Sub(written) >= least
}

// Walk calls page, first with an empty cursor and then with the returned cursor, until that is
// empty, ctx is done, or the run has used its budget. The next run continues at that cursor. page
// returns the number of items it read, which determines the pause before the next page. name
// identifies the walk within its area. When all pages have been read, Walk deletes the orphans that they
// contained, or reports that there are too many.
func (r *Run) Walk(ctx context.Context, name string, page func(ctx context.Context, cursor string) (next string, read int, err error)) error {
	at := r.area + "/" + name
	cursor := ""
	r.tallies = map[Orphans]*tally{}
	if r.budget > 0 {
		if cursor = r.sweeper.cursors[at]; cursor != "" {
			r.tallies = r.sweeper.tallies[at]
		}
		r.sweeper.tallies[at] = r.tallies
	}
	for total := 0; ; {
		next, read, err := page(ctx, cursor)
		if err != nil {
			delete(r.sweeper.cursors, at) // the cursor may be invalid
			return err
		}
		r.report.Read += read
		total += read
		cursor = next
		if r.budget > 0 {
			r.sweeper.cursors[at] = cursor
		}
		if cursor == "" {
			return r.settle(ctx, name)
		}
		if r.budget > 0 && total >= r.budget {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(read) * time.Second / time.Duration(r.sweeper.cfg.Rate)):
		}
	}
}

// Found reports a finding and, unless this is a dry run, repairs it. What must be deleted because something else is
// missing is reported with Orphan instead. An error from repair is
// reported, and the run continues.
func (r *Run) Found(ctx context.Context, what, id string, repair func(context.Context) error) {
	finding := Finding{Area: r.area, Found: what, ID: id}
	r.report.Found++
	if !r.DryRun {
		ctx, span := obs.Start(ctx, "repair "+what, trace.WithAttributes(attribute.String("assay.area", r.area), attribute.String("assay.item", id)))
		err := repair(ctx)
		obs.End(span, err)
		if err != nil {
			r.report.Failed++
			finding.Error = err.Error()
		} else {
			r.report.Repaired++
			finding.Repaired = true
		}
		line := r.sweeper.log.Info()
		if finding.Error != "" {
			line = r.sweeper.log.Warn().Str("error", finding.Error)
		}
		line.Str("area", r.area).Str("found", what).Str("id", id).Bool("repaired", finding.Repaired).Msg("sweep")
	}
	r.keep(finding)
	r.tell(finding)
}

// tell counts a finding and passes it to Tell.
func (r *Run) tell(finding Finding) {
	r.sweeper.found.WithLabelValues(r.area, finding.Found, map[bool]string{true: repairedYes, false: repairedNo}[finding.Repaired]).Inc()
	if r.Tell != nil {
		r.Tell(finding)
	}
}
