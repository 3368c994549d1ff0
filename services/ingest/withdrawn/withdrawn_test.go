package withdrawn_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/ingest/withdrawn"
)

var errRemove = errors.New("the bucket is unavailable")

// TestClear checks which content is deleted, and that new items with the same id wait for it.
func TestClear(t *testing.T) {
	for name, test := range map[string]struct {
		withdrawn, again bool
		failed           error // of the deletion
		removed, waits   bool  // waits: also after Clear
	}{
		"an item that was withdrawn":     {withdrawn: true, removed: true},
		"an item of another table":       {},
		"an item that was created again": {withdrawn: true, again: true},
		"a failed deletion":              {withdrawn: true, failed: errRemove, removed: true, waits: true},
	} {
		t.Run(name, func(t *testing.T) {
			items := open(t)
			if test.withdrawn {
				if err := items.Add(t.Context(), "shelf", "a", time.Now()); err != nil {
					t.Fatal(err)
				}
			}
			exists := func(context.Context) (bool, error) {
				waits(t, items, true)
				return test.again, nil
			}
			removed := false
			err := items.Clear(t.Context(), "shelf", "a", exists, func(context.Context) error {
				removed = true
				waits(t, items, true)
				return test.failed
			})
			if !errors.Is(err, test.failed) || removed != test.removed {
				t.Errorf("got removed = %t, error %v, want %t and %v", removed, err, test.removed, test.failed)
			}
			waits(t, items, test.waits)
		})
	}
}

// waits checks whether new items wait.
func waits(t *testing.T, items *withdrawn.Items, want bool) {
	t.Helper()
	limit := time.Minute
	if want {
		limit = 50 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if err := items.Await(ctx, "shelf", "a"); want != errors.Is(err, context.DeadlineExceeded) || !want && err != nil {
		t.Errorf("got error %v, want waiting = %t", err, want)
	}
}

func open(t *testing.T) *withdrawn.Items {
	t.Helper()
	db, _ := tabletest.Start(t)
	settings := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(settings).Tables); err != nil {
		t.Fatal(err)
	}
	return withdrawn.New(platform.NewStore(db, settings))
}
