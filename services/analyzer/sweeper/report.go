package sweeper

import (
	"context"
	"time"

	"github.com/assay-project/assay/pkg/sweep"
)

// keep adds a finding to the report, which retains the newest ones.
func (r *Run) keep(f Finding) {
	if len(r.newest) == 2*sweep.MaxFindings {
		r.newest = append(r.newest[:0], r.newest[sweep.MaxFindings:]...)
	}
	r.newest = append(r.newest, sweep.Finding{At: time.Now().UTC(), Found: f.Found, ID: f.ID, Repaired: f.Repaired, Error: f.Error})
}

// store stores the report of a run over an area. It logs errors, which do not fail the sweep.
func (s *Sweeper) store(ctx context.Context, r *Run, failed error) {
	if s.reports == nil || ctx.Err() != nil {
		return
	}
	run := sweep.Run{
		At: r.now.UTC(), Read: r.report.Read, Found: r.report.Found, Repaired: r.report.Repaired, Failed: r.report.Failed,
		Millis: r.report.Took.Milliseconds(), DryRun: r.DryRun,
	}
	if failed != nil {
		run.Error = failed.Error()
	}
	if err := s.reports.Add(ctx, r.area, run, r.newest); err != nil && ctx.Err() == nil {
		s.log.Warn().Err(err).Str("area", r.area).Msg("cannot store the report of a sweep")
	}
}
