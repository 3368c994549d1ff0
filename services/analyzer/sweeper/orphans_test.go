package sweeper_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/sweep"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/analyzer/sweeper"
)

// shareArea is an area with objects, some of which are orphans. It lists 10 on a page.
type shareArea struct {
	objects []string // orphans begin with "orphan"
	removed []string
}

func newShareArea(orphans, objects int) *shareArea {
	a := &shareArea{}
	for i := range objects {
		key := fmt.Sprintf("item %04d", i)
		if i < orphans {
			key = fmt.Sprintf("orphan %04d", i)
		}
		a.objects = append(a.objects, key)
	}
	slices.Sort(a.objects)
	return a
}

func (*shareArea) Name() string { return "share" }

func (*shareArea) Findings() []string { return nil }

func (a *shareArea) Sweep(ctx context.Context, r *sweeper.Run) error {
	return sweeper.WalkObjects(ctx, r, "objects", a)
}

func (a *shareArea) List(_ context.Context, cursor string) (page []blob.Object, more bool, err error) {
	for _, key := range a.objects {
		if key > cursor && len(page) == 10 {
			return page, true, nil
		}
		if key > cursor {
			page = append(page, blob.Object{Key: key})
		}
	}
	return page, false, nil
}

func (*shareArea) Orphans(_ context.Context, _ *sweeper.Run, objects []blob.Object) (found sweeper.Comparison, err error) {
	for _, object := range objects {
		if strings.HasPrefix(object.Key, "orphan") {
			found.Orphans = append(found.Orphans, object.Key)
		}
	}
	found.Compared = len(objects)
	return found, nil
}

func (a *shareArea) Remove(_ context.Context, key string) error {
	a.removed = append(a.removed, key)
	a.objects = slices.DeleteFunc(a.objects, func(object string) bool { return object == key })
	return nil
}

func (a *shareArea) sweeper(reports *sweep.Reports, log zerolog.Logger) *sweeper.Sweeper {
	return sweeper.New(sweeper.Config{Rate: 1_000_000}, 0, nil, reports, nil, log, prometheus.NewRegistry(), []*shareArea{a})
}

// TestOnlyFewOrphansAreDeleted checks the share of orphans up to which a sweep deletes them: at most 1 percent, or at
// most 10 and at most half.
func TestOnlyFewOrphansAreDeleted(t *testing.T) {
	for _, c := range []struct {
		orphans, objects int
		deleted          bool
	}{
		{1, 1, false}, {1, 2, true}, {2, 3, false}, {5, 10, true}, {6, 10, false}, {10, 10, false}, {10, 90, true}, {11, 90, false},
		{11, 1099, false}, {11, 1100, true}, {12, 1199, false}, {1000, 1000, false},
	} {
		a := newShareArea(c.orphans, c.objects)
		var findings []sweeper.Finding
		report, err := a.sweeper(nil, zerolog.Nop()).Once(t.Context(), sweeper.Options{Tell: func(f sweeper.Finding) { findings = append(findings, f) }})
		if err != nil {
			t.Fatal(err)
		}
		want := c.orphans
		if !c.deleted {
			want = 0
			if len(findings) != 1 || findings[0].Found != sweeper.SuspiciousOrphan || !strings.Contains(findings[0].Error, fmt.Sprintf("%d of %d objects", c.orphans, c.objects)) {
				t.Errorf("%d orphans of %d: findings %+v, want one suspicious orphan with both numbers", c.orphans, c.objects, findings)
			}
		}
		if len(a.removed) != want || report.Repaired != want || report.Failed > 0 == c.deleted {
			t.Errorf("%d orphans of %d: removed %d, report %+v, want %d", c.orphans, c.objects, len(a.removed), report, want)
		}
	}
}

// TestPeriodicRunsCountAllPages checks that the share is that of all objects, also if a walk takes several runs.
func TestPeriodicRunsCountAllPages(t *testing.T) {
	for orphans, deleted := range map[int]bool{10: true, 11: false} {
		synctest.Test(t, func(t *testing.T) {
			a := newShareArea(orphans, 100)
			cfg := sweeper.Config{Rate: 2, Every: 10 * time.Second} // two pages in each run
			w := sweeper.New(cfg, 0, nil, nil, nil, zerolog.Nop(), prometheus.NewRegistry(), []*shareArea{a})
			ctx, cancel := context.WithTimeout(t.Context(), 45*time.Second)
			defer cancel()
			if err := w.Work(ctx); err != nil || len(a.removed) > 0 {
				t.Fatalf("before all objects are read, %d are removed, %v, want none", len(a.removed), err)
			}
		})
		synctest.Test(t, func(t *testing.T) {
			a := newShareArea(orphans, 100)
			cfg := sweeper.Config{Rate: 2, Every: 10 * time.Second}
			w := sweeper.New(cfg, 0, nil, nil, nil, zerolog.Nop(), prometheus.NewRegistry(), []*shareArea{a})
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			if err := w.Work(ctx); err != nil || len(a.removed) > 0 != deleted {
				t.Errorf("%d orphans of 100: %d are removed, %v, want %t", orphans, len(a.removed), err, deleted)
			}
		})
	}
}

// newReports returns reports in a new table.
func newReports(t *testing.T) *sweep.Reports {
	t.Helper()
	db, _ := tabletest.Start(t)
	cfg := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(cfg).Tables); err != nil {
		t.Fatal(err)
	}
	return sweep.NewReports(platform.NewStore(db, cfg))
}

// TestStopLastsUntilAnOperatorAllows checks that a sweep that has stopped deletes none of the orphans when their share
// has become small, that it is recorded and logged, and that an operator can allow it.
func TestStopLastsUntilAnOperatorAllows(t *testing.T) {
	reports := newReports(t)
	a := newShareArea(10, 10)
	var log bytes.Buffer
	s := a.sweeper(reports, zerolog.New(&log))
	once := func(o sweeper.Options) sweeper.Report {
		t.Helper()
		report, err := s.Once(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	stops := func() []sweep.Stop {
		t.Helper()
		areas, err := reports.List(t.Context())
		if err != nil || len(areas) != 1 {
			t.Fatalf("reports of %d areas, %v, want 1", len(areas), err)
		}
		return areas[0].Stops
	}
	once(sweeper.Options{})
	if !strings.Contains(log.String(), `"level":"error"`) || !strings.Contains(log.String(), "sweep stopped: 10 of 10 objects") {
		t.Errorf("the log is %s, want an error with the share", log.String())
	}
	a.objects = append(newShareArea(0, 5000).objects, a.objects...)
	for range 3 {
		if report := once(sweeper.Options{}); report.Failed != 1 || len(a.removed) > 0 {
			t.Errorf("with many other objects: report %+v, %d removed, want one failure and none removed", report, len(a.removed))
		}
	}
	if all := stops(); len(all) != 1 || all[0].Orphans != 10 || all[0].Of != 5010 || len(all[0].Examples) != 10 || !strings.Contains(all[0].Reason, "--allow-orphans") {
		t.Errorf("the stops are %+v, want one of 10 of 5010 objects with examples and the remedy", all)
	}
	if report := once(sweeper.Options{DryRun: true, AllowOrphans: true}); report.Found != 10 || len(a.removed) > 0 || len(stops()) != 1 {
		t.Errorf("dry run: report %+v, %d removed, want 10 found and no change", report, len(a.removed))
	}
	if report := once(sweeper.Options{AllowOrphans: true}); report.Repaired != 10 || len(a.removed) != 10 || len(stops()) != 0 {
		t.Errorf("allowed: report %+v, %d removed, %d stops, want 10 removed and no stop", report, len(a.removed), len(stops()))
	}
	a.objects = append(a.objects, "orphan later")
	if once(sweeper.Options{}); len(a.removed) != 11 {
		t.Errorf("after the stop, %d are removed, want the new orphan too", len(a.removed))
	}
}

// TestStopEndsWithItsOrphans checks that a stop ends without an operator when its orphans belong to items again.
func TestStopEndsWithItsOrphans(t *testing.T) {
	reports := newReports(t)
	a := newShareArea(20, 20)
	s := a.sweeper(reports, zerolog.Nop())
	for _, objects := range [][]string{a.objects, append(newShareArea(0, 20).objects, "orphan of another kind")} {
		a.objects = objects
		if _, err := s.Once(t.Context(), sweeper.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := reports.Stops(t.Context(), "share")
	if err != nil || len(all) > 0 || len(a.removed) != 1 {
		t.Errorf("%d stops, %v, %d removed, want no stop, and the new orphan removed", len(all), err, len(a.removed))
	}
}
