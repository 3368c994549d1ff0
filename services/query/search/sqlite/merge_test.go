package sqlite

import "testing"

// TestBuildIsMerged checks that the words of a built index are in one segment before it reports that all texts are indexed, also
// if the process ends between steps.
func TestBuildIsMerged(t *testing.T) {
	x := filled(t, 20, 1000)
	segments := func() (n int) {
		t.Helper()
		if err := x.read.QueryRowContext(t.Context(), "SELECT count(DISTINCT segid) FROM words_idx").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := segments(); n < 2 {
		t.Fatalf("the build left %d segments, want several", n)
	}
	before, err := x.Search(t.Context(), ownersQuery(t))
	if err != nil {
		t.Fatal(err)
	}
	if more, err := x.merge(t.Context()); err != nil || !more {
		t.Fatalf("the first step returned %t, %v, want more", more, err)
	}
	var path string
	if err := x.read.QueryRowContext(t.Context(), "SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&path); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close() //nolint:errcheck // it has been merged
	if pending, err := again.Pending(t.Context(), 1); err != nil || len(pending) > 0 {
		t.Fatalf("pending: %v, %v, want none", pending, err)
	}
	if n := segments(); n != 1 {
		t.Errorf("got %d segments, want 1", n)
	}
	after, err := x.Search(t.Context(), ownersQuery(t))
	if err != nil || after.Total != before.Total || len(after.Hits) != len(before.Hits) {
		t.Fatalf("got %d hits, %v, want %d", after.Total, err, before.Total)
	}
	for i, h := range after.Hits {
		if h.ID != before.Hits[i].ID || h.Score != before.Hits[i].Score {
			t.Errorf("hit %d is %s with %v, want %s with %v", i, h.ID, h.Score, before.Hits[i].ID, before.Hits[i].Score)
		}
	}
	if more, err := again.merge(t.Context()); err != nil || more {
		t.Errorf("a merge without a build returned %t, %v, want no more", more, err)
	}
}
