// Package status shows operators the state of the areas: backlogs and their age, outcomes, and whether the
// backends respond.
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

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/sweep"
)

// sampleInterval is the interval at which the backlogs are sampled, with one request for each area.
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
	began   time.Time
}

type observed struct {
	Area
	*series
}

// New returns a Service that observes the areas. checks adds the checks of the backends.
func New(b *bus.Bus, checks func(*obs.Health), reports *sweep.Reports, log zerolog.Logger, areas []Area) *Service {
	s := &Service{bus: b, checks: checks, reports: reports, log: log, began: time.Now()}
	for _, a := range areas {
		s.areas = append(s.areas, observed{a, &series{}})
	}
	return s
}

// Outcome counts an outcome; see live.Hub.OnOutcome.
func (s *Service) Outcome(area, end string, stored time.Time) {
	if i := slices.IndexFunc(s.areas, func(a observed) bool { return a.Name == area }); i >= 0 {
		s.areas[i].outcome(end, stored)
	}
}

// Work samples the backlogs until ctx is done. It returns nil.
func (s *Service) Work(ctx context.Context) error {
	tick := time.NewTicker(sampleInterval)
	defer tick.Stop()
	for {
		if _, err := s.backlogs(ctx); err != nil && ctx.Err() == nil {
			s.log.Debug().Err(err).Msg("cannot read the backlogs")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// backlog is the backlog of a work stream.
type backlog struct {
	waiting uint64
	oldest  time.Time // zero if there is no work
}

// backlogs reads the state of all work streams, concurrently.
func (s *Service) backlogs(ctx context.Context) ([]backlog, error) {
	all := make([]backlog, len(s.areas))
	var group errgroup.Group
	for i, a := range s.areas {
		group.Go(func() error {
			stream, err := s.bus.JS.Stream(ctx, a.Work.Stream)
			if err != nil {
				return err
			}
			state := stream.CachedInfo().State
			a.sample(state.Msgs, state.LastSeq, time.Now())
			if all[i].waiting = state.Msgs; state.Msgs > 0 {
				all[i].oldest = state.FirstTime.UTC()
			}
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
		r.Areas = append(r.Areas, areaView{Name: a.Name, Waiting: backlogs[i].waiting, Oldest: backlogs[i].oldest, Minutes: a.read(now)})
	}
	for _, problem := range problems {
		if problem != "" {
			r.Problems = append(r.Problems, problem)
		}
	}
	return r, ctx.Err()
}
