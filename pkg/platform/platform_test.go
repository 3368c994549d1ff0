package platform_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

func open(t *testing.T) *platform.Store {
	t.Helper()
	db, _ := tabletest.Start(t)
	cfg := platform.Config{Table: "assay-platform"}
	for range 2 { // also if the table exists
		if err := table.EnsureAll(t.Context(), db, platform.Storage(cfg).Tables); err != nil {
			t.Fatal(err)
		}
	}
	ttl, err := db.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: &cfg.Table})
	if err != nil || ttl.TimeToLiveDescription.AttributeName == nil || *ttl.TimeToLiveDescription.AttributeName != platform.ExpiresAt {
		t.Errorf("got time to live %+v, error %v, want the attribute %s", ttl, err, platform.ExpiresAt)
	}
	s := platform.NewStore(db, cfg)
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	return s
}

// TestOneOfManyWriters checks that exactly one of several writers that have read the same version succeeds. The
// first round creates the document.
func TestOneOfManyWriters(t *testing.T) {
	const rounds, writers = 20, 8
	s := open(t)
	if _, err := s.Get(t.Context(), "kind", "name"); !errors.Is(err, platform.ErrNotFound) {
		t.Errorf("no document: got error %v, want ErrNotFound", err)
	}
	for round := range int64(rounds) {
		var mu sync.Mutex
		var won []string
		var group sync.WaitGroup
		for writer := range writers {
			group.Go(func() {
				body := fmt.Sprintf("%d of %d", writer, round)
				err := s.Put(t.Context(), "kind", platform.Document{Name: "name", Version: round, Body: body})
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won = append(won, body)
				} else if !errors.Is(err, platform.ErrChanged) {
					t.Errorf("round %d: got error %v, want ErrChanged", round, err)
				}
			})
		}
		group.Wait()
		got, err := s.Get(t.Context(), "kind", "name")
		if err != nil || len(won) != 1 || got != (platform.Document{Name: "name", Version: round + 1, Body: won[0]}) {
			t.Fatalf("round %d: the writers %q succeeded and the table has %+v, error %v, want one writer and its document", round, won, got, err)
		}
	}
	if err := s.Put(t.Context(), "kind", platform.Document{Name: "other", Version: 3}); !errors.Is(err, platform.ErrChanged) {
		t.Errorf("a version of a missing document: got error %v, want ErrChanged", err)
	}
}

func TestListReturnsOnePartitionByName(t *testing.T) {
	s := open(t)
	const documents = 30
	body := fmt.Sprintf("%0100000d", 7) // 3 MB in all, which is more than a page
	for i := range documents {
		for _, partition := range []string{"kind", "kind#2"} {
			if err := s.Put(t.Context(), partition, platform.Document{Name: fmt.Sprintf("n%02d", documents-1-i), Body: partition + body}); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, err := s.List(t.Context(), "kind")
	if err != nil || len(all) != documents {
		t.Fatalf("got %d documents, error %v, want %d", len(all), err, documents)
	}
	for i, d := range all {
		if d.Name != fmt.Sprintf("n%02d", i) || d.Version != 1 || d.Body != "kind"+body {
			t.Errorf("document %d: got %s, version %d, with %d bytes, want n%02d, version 1, with %d bytes", i, d.Name, d.Version, len(d.Body), i, len("kind"+body))
		}
	}
}
