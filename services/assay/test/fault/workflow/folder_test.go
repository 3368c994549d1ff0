package workflow

import (
	"flag"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/test/fault/wire"
)

// children is more than the 200 children that one attempt to erase a folder removes.
var children = flag.Int("workflow.children", 210, "number of files in the erased folder")

// TestErasureOfLargeFolderIsResumed: a folder that needs several attempts to erase is erased even if the
// worker crashes in between.
func TestErasureOfLargeFolderIsResumed(t *testing.T) {
	if testing.Short() {
		t.Skip("make crash runs it")
	}
	w := start(t)
	folder, err := w.CreateFolder(t.Context(), library.NewNode{ID: w.id(), Owner: "ann", Name: "docs"})
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, *children)
	var all errgroup.Group
	all.SetLimit(8)
	for i := range ids {
		all.Go(func() error {
			ids[i] = w.reserve("a", folder.ID, 1).ID
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	writes := 0
	dying := w.worker(func(c wire.Call, m wire.Moment) bool {
		mu.Lock()
		defer mu.Unlock()
		if c.Engine == "dynamodb" && m == wire.After {
			writes++
		}
		return writes > *children // during the first attempt, or soon after it
	})
	w.erase(folder.ID)
	<-dying.wire.Done()
	dying.kill()
	if _, err := w.Get(t.Context(), folder.ID); err != nil {
		t.Fatalf("the folder was erased before the worker crashed: %v", err)
	}
	next := w.worker(nil)
	w.gone(folder.ID)
	w.idle()
	for _, id := range ids {
		if err := w.nothing(id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	if found := w.sweep(next); len(found) > 0 {
		t.Errorf("the sweep found %v, want nothing", found)
	}
}
