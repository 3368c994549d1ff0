package sweeper_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/analyzer/sweeper"
)

// taggedArea is an area whose sweep only checks tags.
type taggedArea struct{ items map[string]bool }

func (*taggedArea) Name() string { return "shelf" }

func (*taggedArea) Findings() []string { return nil }

func (a *taggedArea) Sweep(ctx context.Context, r *sweeper.Run) error {
	return r.Tags(ctx, func(_ context.Context, ids []string) (map[string]bool, error) {
		found := map[string]bool{}
		for _, id := range ids {
			found[id] = a.items[id]
		}
		return found, nil
	})
}

// TestTagsOfMissingItems checks that a sweep removes the tags of items, of all owners, that have been missing for 30 days, and no others: those
// of items that exist, that exist again, of other areas, or that were tagged within the lease.
func TestTagsOfMissingItems(t *testing.T) {
	db, _ := tabletest.Start(t)
	at := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(at).Tables); err != nil {
		t.Fatal(err)
	}
	tags, area := saved.NewTags(db, at), &taggedArea{items: map[string]bool{}}
	item := func(id string) saved.Item { return saved.Item{Area: "shelf", ID: id} }
	add := func(owner string, i saved.Item) {
		if err := tags.Add(t.Context(), owner, i, "read"); err != nil {
			t.Fatal(err)
		}
	}
	owners := []string{"alice", "bob", "carl"}
	const pages = 230 // more than two pages of an owner
	for _, owner := range owners {
		add(owner, item("kept"))
		add(owner, item("gone#7"))
		add(owner, saved.Item{Area: "attic", ID: "gone#7"})
	}
	for n := range pages {
		add("bob", item(fmt.Sprintf("book-%03d", n)))
		area.items[fmt.Sprintf("book-%03d", n)] = true
	}
	area.items["kept"] = true
	run := func(lease time.Duration, dry bool) (found []string) {
		t.Helper()
		s := sweeper.New(sweeper.Config{Rate: 1_000_000}, lease, nil, nil, tags, zerolog.Nop(), prometheus.NewRegistry(), []*taggedArea{area})
		if _, err := s.Once(t.Context(), sweeper.Options{DryRun: dry, Tell: func(f sweeper.Finding) { found = append(found, f.Found+" "+f.ID+f.Error) }}); err != nil {
			t.Fatal(err)
		}
		return found
	}
	missing := func(owner string, i saved.Item) time.Time {
		t.Helper()
		for after := ""; ; {
			page, more, err := tags.Page(t.Context(), owner, i.Area, after, 100)
			if err != nil {
				t.Fatal(err)
			}
			if at := slices.IndexFunc(page, func(s saved.Swept) bool { return s.Item == i }); at >= 0 {
				return page[at].Missing
			}
			if !more {
				t.Fatalf("%s has no tags of %v", owner, i)
			}
			after = page[len(page)-1].ID
		}
	}
	// The first walk that misses an item marks its tags, unless it is a dry run or the item was tagged within the lease.
	for _, lease := range []time.Duration{0, time.Hour} {
		if found := run(lease, lease == 0); len(found) > 0 || !missing("bob", item("gone#7")).IsZero() {
			t.Errorf("lease %v: found %v, want nothing found and marked", lease, found)
		}
	}
	if found := run(0, false); len(found) > 0 {
		t.Errorf("the first walk found %v, want nothing", found)
	}
	for _, owner := range owners {
		if age := time.Since(missing(owner, item("gone#7"))); age > time.Minute {
			t.Errorf("%s: the item is missing for %v, want the time of the walk", owner, age)
		}
		if at := missing(owner, item("kept")); !at.IsZero() {
			t.Errorf("%s: an item that exists is missing since %v", owner, at)
		}
	}
	// After 30 days, the tags are removed. Those of an item that exists again are not.
	area.items["book-120"] = false
	run(0, false)
	area.items["book-120"] = true
	for owner, i := range map[string]saved.Item{"alice": item("gone#7"), "carl": item("gone#7"), "bob": item("book-120")} {
		if err := tags.SetMissing(t.Context(), owner, i, time.Now().Add(-31*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"tags_without_item gone#7", "tags_without_item gone#7"}
	if found := run(0, true); !slices.Equal(found, want) {
		t.Errorf("a dry run found %v, want %v", found, want)
	}
	if found := run(0, false); !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
	if at := missing("bob", item("book-120")); !at.IsZero() {
		t.Errorf("an item that exists again is missing since %v", at)
	}
	for owner, count := range map[string]int{"alice": 2, "bob": pages + 3, "carl": 2} {
		if all, err := tags.List(t.Context(), owner, ""); err != nil || len(all) != count {
			t.Errorf("%s: got %d tagged items, %v; want %d", owner, len(all), err, count)
		}
	}
	if found := run(0, false); len(found) > 0 {
		t.Errorf("another walk found %v, want nothing", found)
	}
}
