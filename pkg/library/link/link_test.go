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

// TestIDsDependOnASecret checks that an idempotency key always has one id, also in another process, that nobody can
// compute it from the owner and the key, and that a node of an earlier version keeps its id.
func TestIDsDependOnASecret(t *testing.T) {
	db, _ := tabletest.Start(t)
	cfg, tables := platform.Config{Table: "assay-platform"}, library.Config{Nodes: "nodes", Files: "files", Workflows: "workflows"}
	if err := table.EnsureAll(t.Context(), db, append(platform.Storage(cfg).Tables, library.Tables(tables)...)); err != nil {
		t.Fatal(err)
	}
	documents, nodes := platform.NewStore(db, cfg), library.NewStore(db, tables)
	id := func(owner, key string) string {
		t.Helper()
		id, err := link.NewIDs(documents, nodes).New(t.Context(), owner, key)
		if err != nil || !library.ValidID(id) {
			t.Fatalf("New(%q, %q) = %q, %v, want a valid id", owner, key, id, err)
		}
		return id
	}
	guessed, err := library.NewID("ann", "1")
	if err != nil {
		t.Fatal(err)
	}
	first := id("ann", "1")
	if first == guessed || first != id("ann", "1") || first == id("bob", "1") || first == id("ann", "2") {
		t.Errorf("got id %s, want one that is the same for the same owner and key only, and not the guessed %s", first, guessed)
	}
	if one, other := id("ann", ""), id("ann", ""); one == other {
		t.Error("got the same id twice without a key, want different ones")
	}
	if _, err := nodes.CreateFolder(t.Context(), library.NewNode{ID: guessed, Owner: "ann", Name: "a"}); err != nil {
		t.Fatal(err)
	}
	if got := id("ann", "1"); got != guessed {
		t.Errorf("got id %s for the key of a node of an earlier version, want its id %s", got, guessed)
	}
}
