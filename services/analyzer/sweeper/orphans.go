package sweeper

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/assay-project/assay/pkg/sweep"
)

// A sweep deletes orphans, which are things that another thing must refer to, such as objects without an item, only if
// a walk over all of them has found few. Many orphans mean that the stores do not belong together: a table is empty or
// has a wrong name, or a backup was restored in part. The sweep then deletes none of them and reports SuspiciousOrphan,
// until an operator allows it (Options.AllowOrphans), or until the first orphans that it found are orphans no longer.
const (
	// maxShare is the number of things for each orphan that may always be deleted: 1 percent.
	maxShare = 100
	// maxFew is the number of orphans that may be deleted if they are at most half of the things.
	maxFew = 10
	// maxHeld is the maximum number of orphans deleted after one walk. The next walk deletes more.
	maxHeld = 10_000
	// maxExamples is the maximum number of orphans that a stop records.
	maxExamples = 10
)

// few reports whether the orphans may be deleted without an operator's word.
func few(orphans, things int) bool {
	return orphans <= max(things/maxShare, min(maxFew, things/2))
}

// Orphans describes orphans of one kind.
type Orphans struct {
	Found string // code of their finding
	Text  string // completes the sentence "3 of 4 …", such as "objects belong to no item"
}

// orphan is an orphan that is deleted after the walk if there are few.
type orphan struct {
	id     string
	still  func(context.Context) (bool, error)
	remove func(context.Context) error
}

// tally counts the orphans of one kind during a walk.
type tally struct {
	Orphans
	things, orphans int
	held            []orphan // at most maxHeld
}

// Compared adds n things to the walk in progress of which each was an orphan or was not.
func (r *Run) Compared(o Orphans, n int) { r.tally(o).things += n }

// Orphan adds an orphan to the walk in progress, which deletes it at its end if there are few. still checks again
// whether it is an orphan; it is nil if remove does so itself.
func (r *Run) Orphan(o Orphans, id string, still func(context.Context) (bool, error), remove func(context.Context) error) {
	t := r.tally(o)
	t.orphans++
	if len(t.held) < maxHeld {
		t.held = append(t.held, orphan{id, still, remove})
	}
}

func (r *Run) tally(o Orphans) *tally {
	if r.tallies[o] == nil {
		r.tallies[o] = &tally{Orphans: o}
	}
	return r.tallies[o]
}

// settle deletes the orphans of a walk that has ended, or stops.
func (r *Run) settle(ctx context.Context, walk string) error {
	byCode := func(one, other *tally) int { return cmp.Compare(one.Found, other.Found) }
	for _, t := range slices.SortedFunc(maps.Values(r.tallies), byCode) {
		if err := r.settleKind(ctx, walk, t); err != nil {
			return err
		}
	}
	return nil
}

func (r *Run) settleKind(ctx context.Context, walk string, t *tally) error {
	stop, stopped, err := r.stopOf(ctx, walk, t)
	if err != nil {
		return err
	}
	if !r.AllowOrphans && (!few(t.orphans, t.things) || stopped && t.includes(stop.Examples)) {
		return r.refuse(ctx, walk, t, stop)
	}
	for _, one := range t.held {
		if err := r.removeOrphan(ctx, t, one); err != nil {
			return err
		}
	}
	if !stopped || r.DryRun {
		return nil
	}
	return r.sweeper.reports.Resume(ctx, r.area, stop)
}

// stopOf returns the stop that an earlier walk has recorded.
func (r *Run) stopOf(ctx context.Context, walk string, t *tally) (stop sweep.Stop, stopped bool, err error) {
	if r.sweeper.reports == nil {
		return stop, false, nil
	}
	if !r.stopsRead {
		if r.stops, err = r.sweeper.reports.Stops(ctx, r.area); err != nil {
			return stop, false, err
		}
		r.stopsRead = true
	}
	i := slices.IndexFunc(r.stops, func(s sweep.Stop) bool { return s.Walk == walk && s.Found == t.Found })
	if i < 0 {
		return stop, false, nil
	}
	return r.stops[i], true, nil
}

// includes reports whether any of the ids is an orphan.
func (t *tally) includes(ids []string) bool {
	return slices.ContainsFunc(t.held, func(o orphan) bool { return slices.Contains(ids, sweep.Shortened(o.id)) })
}

func (r *Run) removeOrphan(ctx context.Context, t *tally, one orphan) error {
	if one.still != nil && !r.DryRun {
		if still, err := one.still(ctx); err != nil || !still {
			return err
		}
	}
	r.Found(ctx, t.Found, one.id, one.remove)
	return nil
}

// refuse reports that the orphans of a walk are not deleted, and records it. A dry run also lists them. before is the
// stop recorded by an earlier walk, if any.
func (r *Run) refuse(ctx context.Context, walk string, t *tally, before sweep.Stop) error {
	stop := sweep.Stop{At: r.now.UTC(), Walk: walk, Found: t.Found, Orphans: t.orphans, Of: t.things}
	if !before.At.IsZero() {
		stop.At = before.At
	}
	for _, one := range t.held[:min(len(t.held), maxExamples)] {
		stop.Examples = append(stop.Examples, sweep.Shortened(one.id))
	}
	stop.Reason = fmt.Sprintf("%d of %d %s, so nothing was deleted: check that the tables and the buckets belong together and restore "+
		"what is missing, or delete the orphans with \"assay sweep --allow-orphans\"", t.orphans, t.things, t.Text)
	finding := Finding{Area: r.area, Found: SuspiciousOrphan, ID: t.held[0].id, Error: stop.Reason}
	r.report.Found++
	if r.DryRun {
		for _, one := range t.held {
			r.Found(ctx, t.Found, one.id, nil)
		}
		r.tell(finding)
		return nil
	}
	r.report.Failed++
	r.sweeper.log.Error().Str("area", r.area).Str("found", t.Found).Strs("examples", stop.Examples).Msg("sweep stopped: " + stop.Reason)
	if before.Orphans != stop.Orphans { // otherwise the finding would displace all others
		r.keep(finding)
	}
	r.tell(finding)
	if r.sweeper.reports == nil {
		return nil
	}
	return r.sweeper.reports.Stop(ctx, r.area, stop)
}
