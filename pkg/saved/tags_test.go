package saved

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

func open(t *testing.T) (*Tags, *Searches, *dynamodb.Client) {
	t.Helper()
	db, _ := tabletest.Start(t)
	cfg := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(cfg).Tables); err != nil {
		t.Fatal(err)
	}
	return NewTags(db, cfg), NewSearches(platform.NewStore(db, cfg)), db
}

var book = Item{"textfile", "book"}

// count returns the number of tagged items of an owner, and fails the test if the row with the number differs.
func (s *Tags) count(t *testing.T, db *dynamodb.Client, owner string) int {
	t.Helper()
	all, err := s.List(t.Context(), owner, "")
	if err != nil {
		t.Fatal(err)
	}
	out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &s.table, Key: platform.Key(platform.Tags+owner, countKey)})
	if err != nil {
		t.Fatal(err)
	}
	if want := table.Integer(int64(len(all))); fmt.Sprint(out.Item["items"]) != fmt.Sprint(want) {
		t.Errorf("the count is %v, want %d", out.Item["items"], len(all))
	}
	return len(all)
}

func (s *Tags) names(t *testing.T, owner string, i Item) []string {
	t.Helper()
	all, err := s.Of(t.Context(), owner, i, Item{"feed", "rss#missing"})
	if err != nil || len(all) > 1 {
		t.Fatalf("got %v, error %v, want at most one item", all, err)
	}
	return all[i].Names()
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestTagsAreComparedWithoutCase checks that an item keeps a tag as it was first given, and that tags of owners are separate.
func TestTagsAreComparedWithoutCase(t *testing.T) {
	s, _, db := open(t)
	ctx := t.Context()
	must(t, s.Add(ctx, "ann", book, "Straße"), s.Add(ctx, "ann", book, "STRASSE"), s.Add(ctx, "ann", book, "a.b #[0]"), s.Add(ctx, "bob", book, "strasse"))
	if got := s.names(t, "ann", book); !slices.Equal(got, []string{"a.b #[0]", "Straße"}) {
		t.Errorf("got %q, want the tags as they were first given", got)
	}
	must(t, s.Remove(ctx, "ann", book, "strasse"), s.Remove(ctx, "ann", book, "strasse"))
	if got, others := s.names(t, "ann", book), s.names(t, "bob", book); !slices.Equal(got, []string{"a.b #[0]"}) || !slices.Equal(others, []string{"strasse"}) {
		t.Errorf("got %q and %q, want one tag of each owner", got, others)
	}
	must(t, s.Remove(ctx, "ann", book, "A.B #[0]"), s.Remove(ctx, "ann", book, "A.B #[0]"))
	if n := s.count(t, db, "ann"); n != 0 {
		t.Errorf("got %d tagged items, want none without tags", n)
	}
	must(t, s.Forget(ctx, "bob", book), s.Forget(ctx, "bob", book))
	if n := s.count(t, db, "bob"); n != 0 {
		t.Errorf("got %d tagged items, want none after Forget", n)
	}
}

// TestConcurrentTagsAreKept checks that concurrent changes of one item lose nothing, and that the count stays right while the
// last tag of an item is removed and added again.
func TestConcurrentTagsAreKept(t *testing.T) {
	s, _, db := open(t)
	var want []string
	var group sync.WaitGroup
	failed := make(chan error, 100)
	for n := range MaxTags {
		name := fmt.Sprintf("t%02d", n)
		want = append(want, name)
		group.Go(func() { failed <- s.Add(t.Context(), "ann", book, name) })
	}
	group.Wait()
	if got := s.names(t, "ann", book); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := s.Add(t.Context(), "ann", book, "one more"); !errors.Is(err, ErrTags) {
		t.Errorf("tag %d: got error %v, want ErrTags", MaxTags+1, err)
	}
	must(t, s.Add(t.Context(), "ann", book, "T00")) // has it
	other := Item{"feed", "rss#a#b"}
	for n := range 24 {
		group.Go(func() {
			if n%2 == 0 {
				failed <- s.Add(t.Context(), "ann", other, "x")
			} else {
				failed <- s.Remove(t.Context(), "ann", other, "x")
			}
		})
	}
	group.Wait()
	close(failed)
	for err := range failed {
		if err != nil {
			t.Error(err)
		}
	}
	s.count(t, db, "ann")
}

// TestTaggedItemsAreLimited checks that concurrent requests do not exceed the number of tagged items.
func TestTaggedItemsAreLimited(t *testing.T) {
	s, _, db := open(t)
	s.maxTagged = 5
	var mu sync.Mutex
	refused := 0
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			err := s.Add(t.Context(), "ann", Item{"photojob", strconv.Itoa(n)}, "x")
			mu.Lock()
			defer mu.Unlock()
			if errors.Is(err, ErrTagged) {
				refused++
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := s.count(t, db, "ann"); n != 5 || refused != 3 {
		t.Errorf("got %d tagged items and %d refusals, want 5 and 3", n, refused)
	}
	all, err := s.List(t.Context(), "ann", "photojob")
	must(t, err)
	must(t, s.Add(t.Context(), "ann", all[0].Item, "y"), s.Remove(t.Context(), "ann", all[1].Item, "x"), s.Add(t.Context(), "ann", book, "z"))
	if all, err = s.List(t.Context(), "ann", "textfile"); err != nil || len(all) != 1 || all[0].Item != book || !maps.Equal(all[0].Tags, map[string]string{"z": "z"}) || all[0].At.IsZero() {
		t.Errorf("got %+v, error %v, want only the item of the area", all, err)
	}
}
