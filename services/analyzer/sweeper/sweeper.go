// Package sweeper finds what no message will move any more, and repairs it: the
// tables are the truth, and NATS is a hint that can be sent again.
//
// What is stuck, and how it is repaired, is an area's business: it walks over
// its table and its objects and reports each finding. Bounds on the reading, dry
// runs, the report, log and metrics are the same for all areas and stand here.
//
// An area's table has no index by status, so that a sweep reads all of it, at no
// more than Config.Rate items a second. A run of the timer reads what is due
// until the next one and goes on in the next run where it stopped: with the
// defaults 30,000 items in a minute. The cost for text files, of which each has
// two items: a pass scans both, and reads the counterpart of each, which DynamoDB
// counts as half a read unit however small it is; so about 1.1 read units for a
// file, and one LIST request for 100 objects. An item of the feed costs its part
// of a scan, half a read unit to ask for the item of its text, and one LIST
// request for 100 texts. A table of any size costs 500
// items a second at most, some 12 million read units a day. Every analyzer
// sweeps by itself: where there are many, set ASSAY_SWEEP_EVERY=0 on most.
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
)

// Config is how often and how fast is swept.
type Config struct {
	Every time.Duration `env:"ASSAY_SWEEP_EVERY" envDefault:"1m" doc:"how often the table and the bucket are searched for what is stuck; 0 for never"`
	Rate  int           `env:"ASSAY_SWEEP_RATE" envDefault:"500" doc:"how many items or objects a sweep reads in a second at most"`
}

// Validate says which setting is not usable.
func (c Config) Validate() error {
	switch {
	case c.Every < 0:
		return fmt.Errorf("ASSAY_SWEEP_EVERY is %s: give 0 or more", c.Every)
	case c.Rate < 1:
		return fmt.Errorf("ASSAY_SWEEP_RATE is %d: give at least 1", c.Rate)
	}
	return nil
}

// Area is what a sweep goes over: one of the product's areas.
type Area struct {
	Name string
	// Sweep walks over what the area stores, with Run.Walk, and reports each
	// finding to Run.Found. It returns an error when it cannot read on.
	Sweep func(ctx context.Context, r *Run) error
}

// Options are those of one run.
type Options struct {
	DryRun bool // find and repair nothing
	// OutcomesSince makes the run publish again the outcome of every item that
	// reached its final state then or later, and write lost dead letters anew of what
	// waits for a replay. Zero leaves that out.
	OutcomesSince time.Time
	// Tell gets each finding as it comes, one at a time. Optional.
	Tell func(Finding)
}

// Finding is something that was stuck or astray.
type Finding struct {
	Area     string `json:"area"`
	Found    string `json:"found"` // what is wrong, the same words for each of its kind
	ID       string `json:"id"`    // of the item, or the key of an object
	Repaired bool   `json:"repaired"`
	Error    string `json:"error,omitempty"` // why it could not be repaired
}

// Report sums a run up.
type Report struct {
	Read     int           `json:"read"` // items and objects
	Found    int           `json:"found"`
	Repaired int           `json:"repaired"`
	Failed   int           `json:"failed"` // found and not repaired, though it was to be
	Took     time.Duration `json:"-"`
	DryRun   bool          `json:"dryRun"`
}

// Sweeper sweeps the areas of one process. Its runs follow each other.
type Sweeper struct {
	cfg     Config
	areas   []Area
	log     zerolog.Logger
	found   *prometheus.CounterVec
	running sync.Mutex
	cursors map[string]string
}

// New returns a sweeper of the areas.
func New(cfg Config, log zerolog.Logger, reg prometheus.Registerer, areas ...Area) *Sweeper {
	return &Sweeper{
		cfg: cfg, areas: areas, log: log, cursors: map[string]string{},
		found: promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
			Name: "assay_sweep_items_total", Help: "What sweeps found, by area and kind, and whether it was repaired.",
		}, []string{"area", "found", "repaired"}),
	}
}

// Work sweeps on the timer until ctx ends, and returns nil.
func (s *Sweeper) Work(ctx context.Context) error {
	if s.cfg.Every == 0 {
		return nil
	}
	tick := time.NewTicker(s.cfg.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			// What went wrong is in the log, and the next run comes to it again.
			_, _ = s.run(ctx, Options{}, max(1, int(s.cfg.Every.Seconds()*float64(s.cfg.Rate))))
		}
	}
}

// Once sweeps all of every area, and returns an error when something could not
// be read. The report is that of what was done until then.
func (s *Sweeper) Once(ctx context.Context, o Options) (Report, error) { return s.run(ctx, o, 0) }

// run sweeps; budget is how many items each walk may read, 0 for all.
func (s *Sweeper) run(ctx context.Context, o Options, budget int) (Report, error) {
	s.running.Lock()
	defer s.running.Unlock()
	began := time.Now()
	report := Report{DryRun: o.DryRun}
	var failed []error
	for _, area := range s.areas {
		r := &Run{Options: o, Now: began, area: area.Name, sweeper: s, budget: budget, report: &report}
		if err := area.Sweep(ctx, r); err != nil {
			failed = append(failed, fmt.Errorf("sweep of %s: %w", area.Name, err))
		}
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
	Now time.Time // when the run began, against which ages are measured

	area    string
	sweeper *Sweeper
	budget  int
	report  *Report
}

// Walk calls page with a cursor, empty at first, and then with the one it
// returned, until that is empty, ctx ends, or as much is read as the run may. The
// next run then goes on there. page returns how many items it read, by which the
// walk is paced. name tells the walks of an area apart.
func (r *Run) Walk(ctx context.Context, name string, page func(ctx context.Context, cursor string) (next string, read int, err error)) error {
	at := r.area + "/" + name
	cursor := ""
	if r.budget > 0 {
		cursor = r.sweeper.cursors[at]
	}
	for total := 0; ; {
		next, read, err := page(ctx, cursor)
		if err != nil {
			delete(r.sweeper.cursors, at) // which may be what is wrong
			return err
		}
		r.report.Read += read
		total += read
		cursor = next
		if r.budget > 0 {
			r.sweeper.cursors[at] = cursor
		}
		if cursor == "" || r.budget > 0 && total >= r.budget {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(read) * time.Second / time.Duration(r.sweeper.cfg.Rate)):
		}
	}
}

// Found reports a finding and, but for a dry run, repairs it. What repair
// returns is told, and the run goes on.
func (r *Run) Found(ctx context.Context, what, id string, repair func(context.Context) error) {
	finding := Finding{Area: r.area, Found: what, ID: id}
	r.report.Found++
	if !r.DryRun {
		if err := repair(ctx); err != nil {
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
	r.sweeper.found.WithLabelValues(r.area, what, map[bool]string{true: "yes", false: "no"}[finding.Repaired]).Inc()
	if r.Tell != nil {
		r.Tell(finding)
	}
}
