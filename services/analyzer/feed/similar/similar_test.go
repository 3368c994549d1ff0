package similar

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

func open(t *testing.T) *Index {
	t.Helper()
	db, _ := tabletest.Start(t)
	cfg := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(cfg).Tables); err != nil {
		t.Fatal(err)
	}
	return New(db, cfg)
}

func item(n int) feed.Item {
	return feed.Item{SourceID: fmt.Sprintf("rss#%d", n), IngestedAt: time.Date(2026, 11, 20, 12, n, 0, 0, time.UTC).Format(feed.TimeLayout)}
}

func add(t *testing.T, x *Index, n int, text, want string) {
	t.Helper()
	if got, err := x.Add(t.Context(), item(n), text); err != nil || got != want {
		t.Errorf("item %d: similar to %q, error %v, want %q", n, got, err, want)
	}
}

const story = "The port of Exampleton reopened on Monday after a storm that had closed it for three days, the harbour master said."

func TestTheEarliestItemIsFound(t *testing.T) {
	x := open(t)
	add(t, x, 2, story, "")
	add(t, x, 3, "UPDATE: "+story, "rss#2")
	add(t, x, 4, strings.ToUpper(story), "rss#2")
	add(t, x, 5, "The harbour master of Exampleton resigned after the audit of the accounts of the last three years, the mayor said.", "")
	add(t, x, 1, story, "") // ingested before the others
	add(t, x, 6, story, "rss#1")
	add(t, x, 2, story, "rss#1") // analyzed again
	add(t, x, 7, "Good price.", "")
	add(t, x, 8, "Good price.", "")
}

// TestFullRowsStartAgain: a row holds a limited number of items, so that texts that many items share do not fill the table.
func TestFullRowsStartAgain(t *testing.T) {
	x := open(t)
	for n := range maxEntries {
		want := "rss#0"
		if n == 0 {
			want = ""
		}
		add(t, x, n, story, want)
	}
	add(t, x, maxEntries, story, "") // the only one in its rows
	add(t, x, maxEntries+1, story, fmt.Sprintf("rss#%d", maxEntries))
}

func TestConcurrentItems(t *testing.T) {
	x := open(t)
	found := make([]string, 20)
	var adding sync.WaitGroup
	for n := range found {
		adding.Go(func() {
			var err error
			if found[n], err = x.Add(t.Context(), item(n), story); err != nil {
				t.Error(err)
			}
		})
	}
	adding.Wait()
	// Of two concurrent items, the one that is added later to all rows finds the other if that was ingested earlier.
	add(t, x, len(found), story, "rss#0")
	if found[0] != "" {
		t.Errorf("the first item is similar to %q, want none", found[0])
	}
}
