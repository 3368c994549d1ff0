package quota_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

func open(t *testing.T, settings string) *quota.Quotas {
	t.Helper()
	db, _ := tabletest.Start(t)
	at := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(at).Tables); err != nil {
		t.Fatal(err)
	}
	cfg := quota.Config{Quotas: settings}
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	return quota.New(cfg, at, db, zerolog.Nop())
}

func used(t *testing.T, q *quota.Quotas, want quota.Use) {
	t.Helper()
	usage, err := q.Usage(t.Context(), "alice", q.Of("alice"))
	if err != nil || usage.Use == nil || *usage.Use != want {
		t.Errorf("got usage %+v, error %v, want %+v", usage, err, want)
	}
}

// TestConcurrentWritersStayWithinTheQuota checks that exactly as many of 64 concurrent writers succeed as the
// quota allows, and that each release counts once.
func TestConcurrentWritersStayWithinTheQuota(t *testing.T) {
	const writers, size, fit = 64, 100, 10
	q := open(t, fmt.Sprintf("bytes=%d", size*fit+size-1))
	var wrote atomic.Int64
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			_, err := q.Reserve(t.Context(), "alice", quota.Item{Area: "textfile", ID: fmt.Sprint(i), Bytes: size})
			over, exceeded := errors.AsType[*quota.ExceededError](err)
			switch {
			case err == nil:
				wrote.Add(1)
			case !exceeded || over.Quota != quota.Bytes:
				t.Errorf("writer %d: got error %v, want nil or an ExceededError for bytes", i, err)
			}
		})
	}
	group.Wait()
	if wrote.Load() != fit {
		t.Errorf("%d writers succeeded, want %d", wrote.Load(), fit)
	}
	used(t, q, quota.Use{Bytes: size * fit, Items: fit})
	for i := range writers {
		for range 2 { // repeated releases, and releases of items that were never counted, have no effect
			group.Go(func() {
				if err := q.Released(t.Context(), "alice", "textfile", fmt.Sprint(i)); err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	used(t, q, quota.Use{})
}

func TestReservation(t *testing.T) {
	q := open(t, "bytes=1000,items=4,uploads=1")
	ctx := t.Context()
	reserve := func(want quota.Name, items ...quota.Item) *quota.Reservation {
		t.Helper()
		r, err := q.Reserve(ctx, "alice", items...)
		over, exceeded := errors.AsType[*quota.ExceededError](err)
		if want == "" && err != nil || want != "" && (!exceeded || over.Quota != want) {
			t.Fatalf("Reserve(%v): got error %v, want quota %q", items, err, want)
		}
		return r
	}
	item := func(id string, bytes int64) quota.Item { return quota.Item{Area: "textfile", ID: id, Bytes: bytes} }
	reserve("", item("a", 600))
	reserve("", item("a", 600)) // a repeated call
	reserve("", item("a", 600), item("b", 100)).Undo(ctx)
	used(t, q, quota.Use{Bytes: 600, Items: 1}) // Undo does not release items that were counted before
	reserve(quota.Bytes, item("c", 100), item("d", 301))
	used(t, q, quota.Use{Bytes: 600, Items: 1}) // a rejected call counts none of its items
	reserve("", quota.Item{Area: "library", ID: "a", Bytes: 50, InParts: true})
	reserve(quota.Uploads, quota.Item{Area: "library", ID: "b", Bytes: 50, InParts: true})
	for range 2 {
		if err := q.Joined(ctx, "alice", "library", "a"); err != nil {
			t.Fatal(err)
		}
	}
	used(t, q, quota.Use{Bytes: 650, Items: 2})
	reserve("", item("stream", -1)) // an upload of unknown length
	for range 2 {
		if err := q.Stored(ctx, "alice", "textfile", "stream", 500); err != nil {
			t.Fatal(err)
		}
	}
	used(t, q, quota.Use{Bytes: 1150, Items: 3})
	reserve(quota.Bytes, item("stream 2", -1))
	reserve("", item("empty", 0))
	reserve(quota.Items, item("empty 2", 0))
	if _, err := q.Reserve(ctx, "bob", item("x", 1000)); err != nil {
		t.Errorf("another owner: got error %v, want nil", err)
	}
	if r, err := open(t, "").Reserve(ctx, "alice", item("a", 1<<50)); err != nil {
		t.Errorf("without a quota: got %v, error %v, want no error", r, err)
	}
}

func TestOverrides(t *testing.T) {
	q := open(t, "bytes=1KiB, requests=10")
	bytes, none := int64(5), int64(0)
	if err := q.Set(t.Context(), "alice", quota.Overrides{Bytes: &bytes, Requests: &none}); err != nil {
		t.Fatal(err)
	}
	if got := q.Of("alice"); got != (quota.Limits{Bytes: 5}) {
		t.Errorf("alice: got limits %+v, want only 5 bytes", got)
	}
	if got := q.Of("bob"); got != (quota.Limits{Bytes: 1024, Requests: 10}) {
		t.Errorf("bob: got limits %+v, want 1024 bytes and 10 requests", got)
	}
	if err := q.Set(t.Context(), "alice", quota.Overrides{}); err != nil {
		t.Fatal(err)
	}
	if got := q.Of("alice"); got != q.Of("bob") {
		t.Errorf("alice after the reset: got limits %+v, want those of bob, %+v", got, q.Of("bob"))
	}
	for _, wrong := range []string{"bytes", "bytes=-1", "bytes=1.5", "size=1", "bytes=9000000TiB"} {
		if err := (quota.Config{Quotas: wrong}).Validate(); err == nil {
			t.Errorf("%q: got no error, want one", wrong)
		}
	}
}

// TestUsageIsCountedTowardAQuota checks that the usage of an owner is absent without a quota on stored data, and until such a
// quota counts the first item. Sweeps count the items from before, so the quota puts the owner on their list.
func TestUsageIsCountedTowardAQuota(t *testing.T) {
	q := open(t, "requests=10")
	ctx := t.Context()
	uncounted := func(when string) {
		t.Helper()
		if usage, err := q.Usage(ctx, "alice", q.Of("alice")); err != nil || usage != (quota.Usage{}) {
			t.Errorf("%s: got usage %+v, error %v, want none", when, usage, err)
		}
	}
	item := quota.Item{Area: "textfile", ID: "a", Bytes: 5}
	if _, err := q.Reserve(ctx, "alice", item); err != nil {
		t.Fatal(err)
	}
	uncounted("without a quota on stored data")
	limit, none := int64(100), int64(0)
	if err := q.Set(ctx, "alice", quota.Overrides{Items: &limit}); err != nil {
		t.Fatal(err)
	}
	uncounted("with a quota that has counted nothing")
	if owners, err := q.Owners(ctx); err != nil || !owners["alice"] {
		t.Errorf("got owners %v, error %v, want alice, whose items a sweep counts", owners, err)
	}
	if err := q.Count(ctx, "alice", item); err != nil { // as the sweep does
		t.Fatal(err)
	}
	used(t, q, quota.Use{Bytes: 5, Items: 1})
	if usage, err := q.Usage(ctx, "alice", q.Of("alice")); err != nil || time.Since(usage.CountedSince).Abs() > time.Minute {
		t.Errorf("got usage %+v, error %v, want counting to have begun now", usage, err)
	}
	if err := q.Set(ctx, "alice", quota.Overrides{Items: &none}); err != nil {
		t.Fatal(err)
	}
	uncounted("after the quota was removed")
}

// TestRecount checks that sweeps can find holdings without an item and count items without a holding.
func TestRecount(t *testing.T) {
	q := open(t, "bytes=1000")
	ctx := t.Context()
	for _, id := range []string{"a", "b", "c"} {
		if _, err := q.Reserve(ctx, "alice", quota.Item{Area: "textfile", ID: id, Bytes: 10}); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Count(ctx, "alice", quota.Item{Area: "library", ID: "old", Bytes: 5000}); err != nil {
		t.Fatal(err)
	}
	if err := q.Count(ctx, "alice", quota.Item{Area: "textfile", ID: "a", Bytes: 30}); err != nil {
		t.Fatal(err)
	}
	used(t, q, quota.Use{Bytes: 5050, Items: 4})
	var ids []string
	after, more := "", true
	for more {
		var page []quota.Holding
		var err error
		if page, more, err = q.Holdings(ctx, "alice", "textfile", after, 2); err != nil {
			t.Fatal(err)
		}
		for _, h := range page {
			ids, after = append(ids, h.ID), h.ID
		}
	}
	if fmt.Sprint(ids) != "[a b c]" {
		t.Errorf("got counted holdings %v, want [a b c]", ids)
	}
	found, err := q.Counted(ctx, "textfile", []quota.ID{{"alice", "a"}, {"alice", "x"}, {"bob", "a"}})
	if err != nil || len(found) != 1 || found[quota.ID{Owner: "alice", ID: "a"}].Bytes != 30 {
		t.Errorf("got %v, error %v, want only alice's item a with 30 bytes", found, err)
	}
	owner, err := q.NextOwner(ctx, "")
	last, err2 := q.NextOwner(ctx, owner)
	if owner != "alice" || last != "" || err != nil || err2 != nil {
		t.Errorf("got owners %q and %q, errors %v and %v, want alice and none", owner, last, err, err2)
	}
}
