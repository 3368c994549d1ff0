package link_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/library/link"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// TestOneKey checks that concurrent issuers share one key.
func TestOneKey(t *testing.T) {
	db, _ := tabletest.Start(t)
	cfg := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(cfg).Tables); err != nil {
		t.Fatal(err)
	}
	documents := platform.NewStore(db, cfg)
	if _, err := link.NewIssuer(documents).Links(t.Context()); !errors.Is(err, library.ErrLink) {
		t.Errorf("without a key: got error %v, want ErrLink", err)
	}
	now, node := time.Now(), library.Node{ID: library.RootID("ann")}
	var tokens [8]string
	var all sync.WaitGroup
	for i := range tokens {
		all.Go(func() {
			links, err := link.NewIssuer(documents).Make(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			if tokens[i], _, err = links.Issue(node, now, time.Hour); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	reader, err := link.NewIssuer(documents).Links(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range tokens {
		if found, err := reader.Read(token, now); err != nil || found.NodeID != node.ID {
			t.Errorf("Read(%q) = %+v, %v, want node %s", token, found, err, node.ID)
		}
	}
}
