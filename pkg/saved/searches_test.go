package saved

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
)

func TestSearches(t *testing.T) {
	_, s, _ := open(t)
	ctx := t.Context()
	first, isNew, err := s.Put(ctx, "ann", Search{Name: "b", Query: "budget tag:x", Areas: []string{"library"}})
	if err != nil || !isNew || first.CreatedAt.IsZero() || !first.CreatedAt.Equal(first.UpdatedAt) {
		t.Fatalf("got %+v, new %t, error %v, want a new search with its times", first, isNew, err)
	}
	second, isNew, err := s.Put(ctx, "ann", Search{Name: "b", Query: "plan"})
	if err != nil || isNew || !second.CreatedAt.Equal(first.CreatedAt) || second.Areas != nil {
		t.Errorf("got %+v, new %t, error %v, want the search replaced", second, isNew, err)
	}
	if got, err := s.Get(ctx, "ann", "b"); err != nil || !reflect.DeepEqual(got, second) {
		t.Errorf("got %+v, error %v, want %+v", got, err, second)
	}
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			if _, _, err := s.Put(ctx, "ann", Search{Name: "a", Query: fmt.Sprint(n)}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if all, err := s.List(ctx, "ann"); err != nil || len(all) != 2 || all[0].Name != "a" || all[1].Name != "b" {
		t.Errorf("got %+v, error %v, want a and b", all, err)
	}
	for n := 2; n < MaxSearches; n++ {
		if _, _, err := s.Put(ctx, "ann", Search{Name: fmt.Sprintf("n%d", n), Query: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := s.Put(ctx, "ann", Search{Name: "more", Query: "x"}); !errors.Is(err, ErrSearches) {
		t.Errorf("search %d: got error %v, want ErrSearches", MaxSearches+1, err)
	}
	must(t, s.Delete(ctx, "ann", "a"), s.Delete(ctx, "ann", "a"))
	if _, err := s.Get(ctx, "ann", "a"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a deleted search: got error %v, want ErrNotFound", err)
	}
	if _, err := s.Get(ctx, "bob", "b"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a search of another owner: got error %v, want ErrNotFound", err)
	}
}
