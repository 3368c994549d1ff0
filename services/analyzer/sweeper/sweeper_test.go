package sweeper_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/services/analyzer/sweeper"
)

// pagedArea is an area of numbered pages with 10 items each.
type pagedArea struct {
	pages int
	read  []string // cursors, in the order of the requests
	fail  error    // returned instead of a page
	each  func(context.Context, *sweeper.Run, string)
}

func (s *pagedArea) Name() string { return "pages" }

func (*pagedArea) Findings() []string { return nil }

func (s *pagedArea) Sweep(ctx context.Context, r *sweeper.Run) error {
	return r.Walk(ctx, "pages", func(ctx context.Context, cursor string) (string, int, error) {
		s.read = append(s.read, cursor)
		if s.fail != nil {
			return "", 0, s.fail
		}
		if s.each != nil {
			s.each(ctx, r, cursor)
		}
		at := 0
		if cursor != "" {
			var err error
			if at, err = strconv.Atoi(cursor); err != nil {
				return "", 0, err
			}
		}
		if at+1 == s.pages {
			return "", 10, nil
		}
		return strconv.Itoa(at + 1), 10, nil
	})
}

func open(cfg sweeper.Config, s *pagedArea) *sweeper.Sweeper {
	return sweeper.New(cfg, 0, nil, nil, nil, zerolog.Nop(), prometheus.NewRegistry(), []*pagedArea{s})
}

func TestOnceReadsAllAtConfiguredRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &pagedArea{pages: 5}
		began := time.Now()
		report, err := open(sweeper.Config{Rate: 20}, s).Once(t.Context(), sweeper.Options{})
		if err != nil || report.Read != 50 || !slices.Equal(s.read, []string{"", "1", "2", "3", "4"}) {
			t.Errorf("got %+v, %v, pages %q, want 50 items of 5 pages", report, err, s.read)
		}
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("took %s, want 2s: 40 items at 20 per second before the last page", took)
		}
	})
}

func TestPeriodicRunContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &pagedArea{pages: 5}
		w := open(sweeper.Config{Rate: 2, Every: 10 * time.Second}, s)
		ctx, cancel := context.WithTimeout(t.Context(), 45*time.Second)
		defer cancel()
		if err := w.Work(ctx); err != nil {
			t.Error(err)
		}
		// Each of the four runs reads 20 items, which is two pages.
		if want := []string{"", "1", "2", "3", "4", "", "1"}; !slices.Equal(s.read, want) {
			t.Errorf("read pages %q, want %q", s.read, want)
		}
	})
}

// TestUnreadablePageRestartsTheWalk checks that the error of a page is returned and that the next
// run begins at the start, because the cursor may be the cause.
func TestUnreadablePageRestartsTheWalk(t *testing.T) {
	s := &pagedArea{pages: 1, fail: errors.New("no table")}
	if _, err := open(sweeper.Config{Rate: 1000}, s).Once(t.Context(), sweeper.Options{}); !errors.Is(err, s.fail) {
		t.Errorf("got error %v, want %v", err, s.fail)
	}
	synctest.Test(t, func(t *testing.T) {
		s := &pagedArea{pages: 5}
		w := open(sweeper.Config{Rate: 2, Every: 10 * time.Second}, s)
		s.each = func(context.Context, *sweeper.Run, string) {
			if len(s.read) == 3 { // the first page of the second run
				s.fail = errors.New("invalid cursor")
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 45*time.Second)
		defer cancel()
		if err := w.Work(ctx); err != nil {
			t.Error(err)
		}
		if want := []string{"", "1", "2", "3", "", ""}; !slices.Equal(s.read, want) {
			t.Errorf("read pages %q, want %q", s.read, want)
		}
	})
}

func TestDryRunRepairsNothing(t *testing.T) {
	broken := errors.New("cannot")
	for _, dry := range []bool{true, false} {
		repaired := 0
		s := &pagedArea{pages: 1, each: func(ctx context.Context, r *sweeper.Run, _ string) {
			r.Found(ctx, "loose", "a", func(context.Context) error { repaired++; return nil })
			r.Found(ctx, "torn", "b", func(context.Context) error { repaired++; return broken })
		}}
		var found []sweeper.Finding
		report, err := open(sweeper.Config{Rate: 1000}, s).Once(t.Context(), sweeper.Options{
			DryRun: dry, Tell: func(f sweeper.Finding) { found = append(found, f) },
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []sweeper.Finding{{Area: "pages", Found: "loose", ID: "a", Repaired: !dry}, {Area: "pages", Found: "torn", ID: "b"}}
		sum := sweeper.Report{Read: 10, Found: 2, DryRun: dry, Took: report.Took}
		if !dry {
			want[1].Error = "cannot"
			sum.Repaired, sum.Failed = 1, 1
		}
		if !slices.Equal(found, want) || report != sum || (repaired > 0) == dry {
			t.Errorf("dry run %t: got findings %+v, report %+v, %d repairs; want %+v, %+v", dry, found, report, repaired, want, sum)
		}
	}
}

// orphanArea is an area with two orphaned objects, one of which is deleted concurrently after the sweep has listed it.
type orphanArea struct{ listed int }

func (c *orphanArea) Name() string { return "orphans" }

func (*orphanArea) Findings() []string { return nil }

func (c *orphanArea) Sweep(ctx context.Context, r *sweeper.Run) error {
	return sweeper.WalkObjects(ctx, r, "objects", c)
}

func (c *orphanArea) List(context.Context, string) ([]blob.Object, bool, error) {
	c.listed++
	return []blob.Object{{Key: "a"}, {Key: "b"}}[:max(1, 3-c.listed)], false, nil
}

func (c *orphanArea) Orphans(_ context.Context, _ *sweeper.Run, objects []blob.Object) (found sweeper.Comparison, err error) {
	for _, object := range objects {
		found.Orphans = append(found.Orphans, object.Key)
	}
	found.Compared = 4
	return found, nil
}

func (c *orphanArea) Remove(context.Context, string) error { return nil }

func TestDeletedObjectIsNotOrphan(t *testing.T) {
	var found []string
	s := sweeper.New(sweeper.Config{Rate: 1000}, 0, nil, nil, nil, zerolog.Nop(), prometheus.NewRegistry(), []*orphanArea{{}})
	_, err := s.Once(t.Context(), sweeper.Options{Tell: func(f sweeper.Finding) { found = append(found, f.ID) }})
	if err != nil || !slices.Equal(found, []string{"a"}) {
		t.Errorf("found %q, %v, want only a", found, err)
	}
}
