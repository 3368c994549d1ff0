// Package status shows operators the state of the areas: backlogs and their age, outcomes, streams, sweeps, and
// whether the backends respond. It counts items, not the events of their steps.
//
// Each process of query counts independently, and all report the same numbers: every process follows all outcomes
// for live events, and the NATS server reports the backlogs. After a restart, a process has only the outcomes that
// live events keep in memory, at most 8,192, and no earlier backlogs.
package status

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/sweep"
)

// sampleInterval is the interval at which backlogs, streams and sweeps are read, with one or two requests for each area and
// stream, and one to DynamoDB.
const sampleInterval = 10 * time.Second

// Area identifies an area to observe.
type Area struct {
	Name string
	Work bus.Work
}

// Service observes the areas. Work must be running.
type Service struct {
	bus     *bus.Bus
	checks  func(*obs.Health)
	reports *sweep.Reports
	log     zerolog.Logger
	areas   []observed
	streams []string
	gauges  gauges
	began   time.Time

	failures failures
}

type observed struct {
	Area
	*series
	*estimate
}

// Options are the dependencies of a Service.
type Options struct {
	Bus      *bus.Bus
	Checks   func(*obs.Health) // adds the checks of the backends
	Reports  *sweep.Reports
	Log      zerolog.Logger
	Registry prometheus.Registerer
	Areas    []Area
	Streams  []string // streams to observe besides the work streams of the areas
}

// New returns a Service that observes areas and streams. It makes no request.
func New(o Options) *Service {
	s := &Service{bus: o.Bus, checks: o.Checks, reports: o.Reports, log: o.Log, streams: slices.Clone(o.Streams), began: time.Now()}
	names := make([]string, len(o.Areas))
	for i, a := range o.Areas {
		names[i] = a.Name
		s.areas = append(s.areas, observed{a, &series{}, &estimate{}})
		s.streams = append(s.streams, a.Work.Stream)
	}
	s.gauges = newGauges(o.Registry, names, s.streams)
	return s
}

func (s *Service) observes(area string) bool {
	return slices.ContainsFunc(s.areas, func(a observed) bool { return a.Name == area })
}

// Outcome counts an outcome; see live.Hub.OnOutcome.
func (s *Service) Outcome(area, end string, d bus.Delivery) {
	if end == "failed" {
		s.failed(area, d)
	}
	if i := slices.IndexFunc(s.areas, func(a observed) bool { return a.Name == area }); i >= 0 {
		s.areas[i].outcome(end, d.Stored)
	}
}

// Work reads what the gauges report until ctx is done. It returns nil.
func (s *Service) Work(ctx context.Context) error {
	tick := time.NewTicker(sampleInterval)
	defer tick.Stop()
	for {
		if err := s.measure(ctx); err != nil && ctx.Err() == nil {
			s.log.Debug().Err(err).Msg("cannot read backlogs, streams or sweeps")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// backlog is the backlog of an area.
type backlog struct {
	items  uint64
	oldest time.Time // zero if there is no work
}

// backlogs reads the state of all work streams, concurrently.
func (s *Service) backlogs(ctx context.Context) ([]backlog, error) {
	all := make([]backlog, len(s.areas))
	var group errgroup.Group
	for i, a := range s.areas {
		group.Go(func() error {
			found, err := s.bus.Backlog(ctx, a.Work)
			if err != nil {
				return err
			}
			all[i] = backlog{a.items(found), found.Oldest}
			a.sample(all[i].items, time.Now())
			return nil
		})
	}
	return all, group.Wait()
}

// report returns the response body of the status call.
func (s *Service) report(ctx context.Context) (r report, err error) {
	now := time.Now()
	r = report{At: now.UTC(), Since: s.began.UTC(), Areas: []areaView{}, Dependencies: []dependency{}, Sweeps: []sweepView{}, Problems: []string{}}
	var problems [3]string // by part; empty if the part was read
	var reading sync.WaitGroup
	part := func(i int, name string, read func() error) {
		reading.Go(func() {
			if err := read(); err != nil {
				problems[i] = fmt.Sprintf("%s: %v", name, err)
			}
		})
	}
	var backlogs []backlog
	part(0, "backlogs", func() (err error) { backlogs, err = s.backlogs(ctx); return err })
	part(1, "dead letters", func() (err error) { r.DeadLetters, err = s.bus.DeadCounts(ctx); return err })
	part(2, "sweeps", func() error {
		swept, err := s.reports.List(ctx)
		for _, a := range swept {
			r.Sweeps = append(r.Sweeps, sweepView{a.Name, a.Last, a.Stops})
		}
		return err
	})
	reading.Go(func() {
		var health obs.Health
		s.checks(&health)
		r.Dependencies = dependencies(health.Check(ctx))
	})
	reading.Wait()
	if r.DeadLetters == nil {
		r.DeadLetters = map[string]uint64{}
	}
	for i, a := range s.areas {
		past, waiting := a.read(now)
		r.Areas = append(r.Areas, areaView{Name: a.Name, Waiting: waiting, Oldest: backlogs[i].oldest, Minutes: past})
	}
	for _, problem := range problems {
		if problem != "" {
			r.Problems = append(r.Problems, problem)
		}
	}
	return r, ctx.Err()
}
