package sweeper_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/analyzer/sweeper"
)

// counted is an area whose sweep only corrects the counts of its items.
type counted struct {
	counting sweeper.Counting
	items    map[string]sweeper.Countable // by id
}

func (c *counted) Name() string { return "shelf" }

func (*counted) Findings() []string { return nil }

func (c *counted) Sweep(ctx context.Context, r *sweeper.Run) error {
	if err := c.counting.Sweep(ctx, r); err != nil {
		return err
	}
	return c.counting.Items(ctx, r, slices.Collect(maps.Values(c.items)))
}

func (c *counted) add(owner, id string, bytes int64, size func(context.Context) (int64, error)) {
	c.items[id] = sweeper.Countable{ID: quota.ID{Owner: owner, ID: id}, Bytes: bytes, Created: time.Now().Add(-time.Hour), Size: size}
}

// openCounted returns an area with quotas for alice, bob and carl, whose items are not counted yet.
func openCounted(t *testing.T) (*counted, *quota.Quotas) {
	t.Helper()
	db, _ := tabletest.Start(t)
	at := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(at).Tables); err != nil {
		t.Fatal(err)
	}
	q := quota.New(quota.Config{Quotas: "bytes=1000000,items=1000"}, at, db, zerolog.Nop())
	c := &counted{items: map[string]sweeper.Countable{}}
	c.counting = sweeper.Counting{Quotas: q, Area: "shelf", Exist: func(_ context.Context, ids []string) (map[string]bool, error) {
		exist := map[string]bool{}
		for _, id := range ids {
			_, exist[id] = c.items[id]
		}
		return exist, nil
	}}
	return c, q
}

// recount runs a sweep and returns its findings.
func recount(t *testing.T, c *counted, lease time.Duration, dry bool) []string {
	t.Helper()
	var found []string
	_, err := sweeper.New(sweeper.Config{Rate: 1_000_000}, lease, nil, nil, nil, zerolog.Nop(), prometheus.NewRegistry(), []*counted{c}).
		Once(t.Context(), sweeper.Options{DryRun: dry, Tell: func(f sweeper.Finding) {
			found = append(found, f.Found+" "+f.ID+map[bool]string{true: ": " + f.Error}[f.Error != ""])
		}})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return found
}

func uses(t *testing.T, q *quota.Quotas, owner string, want quota.Use) {
	t.Helper()
	if usage, err := q.Usage(t.Context(), owner, q.Of(owner)); err != nil || usage.Use == nil || *usage.Use != want {
		t.Errorf("%s: got usage %+v, %v; want %+v", owner, usage, err, want)
	}
}

func reserve(t *testing.T, q *quota.Quotas, owner, id string, bytes int64) {
	t.Helper()
	if _, err := q.Reserve(t.Context(), owner, quota.Item{Area: "shelf", ID: id, Bytes: bytes}); err != nil {
		t.Fatal(err)
	}
}

// TestSweepRecounts checks each kind of difference between the counts and the items, in a dry run and otherwise.
func TestSweepRecounts(t *testing.T) {
	c, q := openCounted(t)
	c.add("alice", "right", 10, nil)
	c.add("alice", "wrong", 20, nil)
	c.add("alice", "missing", 40, nil)
	c.add("alice", "unsized", -1, func(context.Context) (int64, error) { return 80, nil })
	c.add("alice", "unknown", -1, nil)
	c.add("dora", "free", 500, nil) // no quota has ever applied to dora
	reserve(t, q, "alice", "right", 10)
	reserve(t, q, "alice", "wrong", 21)
	reserve(t, q, "alice", "gone", 160)
	want := []string{"counted_nothing gone", "uncounted_item missing", "uncounted_item unknown", "uncounted_item unsized", "uncounted_item wrong"}
	if found := recount(t, c, 0, true); !slices.Equal(found, want) {
		t.Errorf("a dry run found %q, want %q", found, want)
	}
	uses(t, q, "alice", quota.Use{Items: 3, Bytes: 10 + 21 + 160})
	if found := recount(t, c, 2*time.Hour, false); len(found) > 0 {
		t.Errorf("got %q for items younger than the lease, want no findings", found)
	}
	if found := recount(t, c, 0, false); !slices.Equal(found, want) {
		t.Errorf("a sweep found %q, want %q", found, want)
	}
	uses(t, q, "alice", quota.Use{Items: 5, Bytes: 10 + 20 + 40 + 80})
	if usage, err := q.Usage(t.Context(), "dora", q.Of("dora")); err != nil || usage.Use != nil {
		t.Errorf("dora: got usage %+v, %v; want none, since nothing is counted", usage, err)
	}
	if found := recount(t, c, 0, false); len(found) > 0 {
		t.Errorf("a second sweep found %q, want nothing", found)
	}
}

// TestSweepReleasesAllPages checks that the counts of several pages of items, and of all owners, are released.
func TestSweepReleasesAllPages(t *testing.T) {
	c, q := openCounted(t)
	const items = 205 // two full pages and a partial one
	for _, owner := range []string{"alice", "bob", "carl"} {
		reserve(t, q, owner, owner+"-kept", 1)
		c.add(owner, owner+"-kept", 1, nil)
	}
	for i := range items {
		reserve(t, q, "bob", fmt.Sprintf("gone-%03d", i), 3)
	}
	uses(t, q, "bob", quota.Use{Items: items + 1, Bytes: 3*items + 1})
	if found := recount(t, c, 0, false); len(found) != items {
		t.Errorf("got %d findings, want %d", len(found), items)
	}
	for _, owner := range []string{"alice", "bob", "carl"} {
		uses(t, q, owner, quota.Use{Items: 1, Bytes: 1})
	}
}

// TestSweepDoesNotCountDeletedItems checks that an item that is deleted while it is counted does not remain counted, and
// that an item whose size cannot be read is reported.
func TestSweepDoesNotCountDeletedItems(t *testing.T) {
	c, q := openCounted(t)
	reserve(t, q, "alice", "kept", 1)
	c.add("alice", "kept", 1, nil)
	c.add("alice", "deleted", -1, func(context.Context) (int64, error) {
		delete(c.items, "deleted")
		return 7, nil
	})
	c.add("alice", "unreadable", -1, func(context.Context) (int64, error) { return 0, errors.New("no bucket") })
	if found, want := recount(t, c, 0, false), []string{"uncounted_item deleted", "uncounted_item unreadable: no bucket"}; !slices.Equal(found, want) {
		t.Errorf("a sweep found %q, want %q", found, want)
	}
	uses(t, q, "alice", quota.Use{Items: 1, Bytes: 1})
}
