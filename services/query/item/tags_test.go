package item

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/table"
)

func tagged(id string, ms int64, tags map[string]string) saved.Tagged {
	return saved.Tagged{Item: saved.Item{Area: "a", ID: id}, Tags: tags, At: time.UnixMilli(ms)}
}

func TestCountTags(t *testing.T) {
	got := countTags([]saved.Tagged{
		tagged("1", 1, map[string]string{"budget": "Budget", "éa": "éa"}), tagged("2", 1, map[string]string{"budget": "BUDGET", "zoo": "zoo"}),
		tagged("3", 1, map[string]string{"budget": "Budget", "zoo": "Zoo"}),
	})
	if want := []itemTag{{"Budget", 3}, {"Zoo", 2}, {"éa", 1}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestTaggedPages reads a list in pages of one item while items are tagged and untagged between them.
func TestTaggedPages(t *testing.T) {
	x := map[string]string{"x": "X", "y": "y"}
	all := []saved.Tagged{tagged("1", 5, x), tagged("2", 7, map[string]string{"x": "x"}), tagged("3", 5, x), tagged("4", 9, x)}
	l := taggedList{tags: []string{"x", "y"}}
	var got []string
	for text, n := "", 0; n < 9; n++ {
		rest, err := l.rest(newestTagged(slices.Clone(all), l.tags), text)
		if err != nil {
			t.Fatal(err)
		}
		if len(rest) == 0 {
			break
		}
		got = append(got, rest[0].ID)
		if text, err = l.after(rest[0]); err != nil {
			t.Fatal(err)
		}
		if n == 0 { // the item that was just returned is untagged, and another is tagged
			all = append(slices.DeleteFunc(all, func(t saved.Tagged) bool { return t.ID == "4" }), tagged("5", 11, x))
		}
	}
	if want := []string{"4", "1", "3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	next, err := l.after(all[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []taggedList{{tags: []string{"x"}}, {tags: l.tags, area: "a"}, {tags: l.tags, status: Done}} {
		if _, err := other.rest(all, next); !errors.Is(err, table.ErrCursor) {
			t.Errorf("the list %+v: got error %v, want ErrCursor", other, err)
		}
	}
	for _, text := range []string{"?", "YWJj", "e30"} {
		if _, err := l.rest(all, text); !errors.Is(err, table.ErrCursor) {
			t.Errorf("the cursor %q: got error %v, want ErrCursor", text, err)
		}
	}
}

func TestChosenTags(t *testing.T) {
	if got, err := chosenTags([]string{" Plan  B", "budget", "plan b"}); err != nil || fmt.Sprint(got) != "[budget plan b]" {
		t.Errorf("got %q, error %v, want the folded tags", got, err)
	}
	if _, err := chosenTags([]string{"budget", ""}); err == nil {
		t.Error("got no error for an empty tag")
	}
}
