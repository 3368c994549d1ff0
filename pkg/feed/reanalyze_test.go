package feed_test

import (
	"errors"

	"reflect"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/feedtest"
	"github.com/assay-project/assay/pkg/lifecycle"
)

// outdated creates an item that an older model analyzed.
func outdated(t *testing.T, store *feed.Store, n int) feed.Item {
	t.Helper()
	item, err := store.Analyze(t.Context(), feedtest.Create(t, store, feedtest.Submission(n, time.Now(), "a")), feedtest.Liked())
	if err != nil {
		t.Fatal(err)
	}
	return item
}

// current returns an analysis by the current model.
func current() feed.Analysis {
	return feed.Analysis{Sentiment: feed.Negative, Score: 0.9, Compound: -0.8, ModelVersion: feed.ModelVersion}
}

// TestReanalyzedItemKeepsItsResult checks that an item keeps its old result until the new one replaces
// it, and that the times of its analyses increase.
func TestReanalyzedItemKeepsItsResult(t *testing.T) {
	_, store := feedtest.Open(t)
	before := outdated(t, store, 1)
	want := before
	want.Status = feed.Pending
	waiting, err := store.Reanalyze(t.Context(), before)
	if err != nil || !reflect.DeepEqual(waiting, want) {
		t.Fatalf("got %+v, error %v, want %+v", waiting, err, want)
	}
	stored, err := store.Get(t.Context(), before.SourceID)
	if err != nil || !reflect.DeepEqual(stored, want) || !stored.Scored() || stored.Settled() || stored.Outdated() {
		t.Errorf("got stored item %+v, error %v, want %+v", stored, err, want)
	}
	// Both analyses can be made in the same millisecond.
	after, err := store.Analyze(t.Context(), stored, current())
	if err != nil || after.AnalyzedAt <= before.AnalyzedAt || after.Sentiment != feed.Negative || after.ModelVersion != feed.ModelVersion {
		t.Errorf("got %+v, error %v, want a negative analysis by the current model after %s", after, err, before.AnalyzedAt)
	}
}

// TestSlowWorkerCannotOverwrite makes every move with an item that a worker read before the item was
// analyzed, while the item waits for another analysis.
func TestSlowWorkerCannotOverwrite(t *testing.T) {
	_, store := feedtest.Open(t)
	for n, move := range []func(feed.Item) (feed.Item, error){
		func(i feed.Item) (feed.Item, error) { return store.Analyze(t.Context(), i, feedtest.Liked()) },
		func(i feed.Item) (feed.Item, error) { return store.GiveUp(t.Context(), i, "the text is gone") },
		func(i feed.Item) (feed.Item, error) { return store.Retry(t.Context(), i) },
		func(i feed.Item) (feed.Item, error) { return store.Renew(t.Context(), i) },
	} {
		read := feedtest.Create(t, store, feedtest.Submission(n, time.Now(), "a"))
		analyzed, err := store.Analyze(t.Context(), read, feedtest.Liked())
		if err != nil {
			t.Fatal(err)
		}
		waiting, err := store.Reanalyze(t.Context(), analyzed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := move(read); !errors.Is(err, lifecycle.ErrFenceLost) {
			t.Errorf("move %d of the slow worker: got error %v, want ErrFenceLost", n, err)
		}
		if stored, err := store.Get(t.Context(), read.SourceID); err != nil || !reflect.DeepEqual(stored, waiting) {
			t.Errorf("after move %d: got %+v, error %v, want %+v", n, stored, err, waiting)
		}
		if _, err := store.Analyze(t.Context(), waiting, current()); err != nil {
			t.Error(err)
		}
		if _, err := store.Reanalyze(t.Context(), analyzed); !errors.Is(err, lifecycle.ErrFenceLost) {
			t.Errorf("Reanalyze of an outdated item: got error %v, want ErrFenceLost", err)
		}
	}
}

func TestAcceptedAgain(t *testing.T) {
	_, store := feedtest.Open(t)
	pending := feedtest.Create(t, store, feedtest.Submission(1, time.Now(), "a"))
	ids := map[string]bool{}
	id := func(item feed.Item, err error) feed.Item {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		e, err := item.Accepted("bucket")
		if err != nil || ids[e.ID] || e.Subject != feed.AcceptedSubject(item.SourceID) {
			t.Errorf("got %+v, error %v, want an id other than %v", e, err, ids)
		}
		ids[e.ID] = true
		return item
	}
	id(pending, nil)
	for range 2 { // the id differs in each round
		analyzed, err := store.Analyze(t.Context(), pending, current())
		if err != nil {
			t.Fatal(err)
		}
		pending = id(store.Reanalyze(t.Context(), analyzed))
	}
	id(store.GiveUp(t.Context(), pending, "the text is gone"))
}

func TestCompareModels(t *testing.T) {
	order := []string{"", "v0.0.0", "v1.0.0", "v1.0.2", "v1.0.10", "v1.2.0", "v1.10.0", "v2.0.0", "v10.0.0"}
	for i, a := range order {
		for j, b := range order {
			if got, want := feed.CompareModels(a, b), max(-1, min(1, i-j)); got != want {
				t.Errorf("CompareModels(%q, %q) = %d, want %d", a, b, got, want)
			}
		}
	}
	if got := feed.CompareModels("v1", "v1.0.0.0"); got != 0 {
		t.Errorf("CompareModels of two invalid versions = %d, want 0", got)
	}
}
