package feed_test

import (
	"errors"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/feedtest"
	"github.com/assay-project/assay/pkg/lifecycle"
)

// TestReplacedItems checks that an item that is deleted and created again, with the same id and time, has events of its own, which
// are the same after every read, and that moves of the deleted item do not change it.
func TestReplacedItems(t *testing.T) {
	_, store := feedtest.Open(t)
	s := feedtest.Submission(1, time.Now(), "a")
	seen := map[string]bool{}
	idOf := func(i feed.Item) string {
		t.Helper()
		e, err := i.Accepted("bucket")
		if err != nil {
			t.Fatal(err)
		}
		return e.ID
	}
	var before feed.Item
	for round := range 3 {
		item := feedtest.Create(t, store, s)
		read, err := store.Get(t.Context(), s.SourceID)
		if err != nil || idOf(read) != idOf(item) || seen[idOf(item)] {
			t.Errorf("round %d: got event ids %s and %s, error %v, want a new one", round, idOf(item), idOf(read), err)
		}
		seen[idOf(item)] = true
		if round > 0 {
			_, analyzed := store.Analyze(t.Context(), before, feedtest.Liked())
			_, givenUp := store.GiveUp(t.Context(), before, "reason")
			if !errors.Is(analyzed, lifecycle.ErrNotFound) || !errors.Is(givenUp, lifecycle.ErrNotFound) {
				t.Errorf("moves of the deleted item: got errors %v and %v, want ErrNotFound", analyzed, givenUp)
			}
		}
		if round == 1 {
			if _, err := store.Analyze(t.Context(), item, feedtest.Liked()); err != nil {
				t.Error(err)
			}
		}
		if err := store.Delete(t.Context(), s.SourceID); err != nil {
			t.Fatal(err)
		}
		before = item
	}
}
