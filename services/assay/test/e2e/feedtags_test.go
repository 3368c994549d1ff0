package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"sync"
	"testing"
)

// TestTagsOfDuplicatesAreShown: a duplicate's tag is shown, whether it is posted while
// the item is pending, while it is being analyzed, or later; also if the lists
// and totals of the tag were read, and cached, before.
func TestTagsOfDuplicatesAreShown(t *testing.T) {
	t.Parallel()
	const items = 40
	c := startCluster(t)
	c.front(t, c.service(t, "ingest"), c.service(t, "query"))
	first, pending, meanwhile, after := newTag(), newTag(), newTag(), newTag()
	all := []string{first, pending, meanwhile, after}
	slices.Sort(all)

	var postings []posting
	for range items {
		postings = append(postings, newPosting("The book was good.", first))
	}
	again := func(tag string) {
		var repeats []posting
		for _, p := range postings {
			p.MatchedTags = []string{tag}
			repeats = append(repeats, p)
		}
		for _, outcome := range c.postItems(t, repeats) {
			if outcome != "duplicate" {
				t.Errorf("a repeat with %s is %s", tag, outcome)
			}
		}
	}
	c.postItems(t, postings)
	for _, tag := range all { // now the responses are cached
		c.awaitItems(t, tag, 0)
	}
	again(pending)
	var both sync.WaitGroup
	both.Go(func() { again(meanwhile) })
	c.service(t, "analyzer")
	both.Wait()
	for _, p := range postings {
		c.analyzed(t, p.SourceID)
	}
	for _, tag := range []string{first, pending, meanwhile} {
		c.awaitItems(t, tag, items)
	}
	again(after)
	for _, tag := range all {
		eventually(t, func() error {
			for _, item := range c.awaitItems(t, tag, items) {
				if !slices.Equal(item.MatchedTags, all) {
					return fmt.Errorf("%s has the tags %v in the list of %s", item.SourceID, item.MatchedTags, tag)
				}
			}
			var numbers struct {
				Tags []struct {
					Tag   string
					Count int
				}
			}
			if err := c.get(within(t), "/v1/feed/summary?hours=1", &numbers); err != nil {
				return err
			}
			if !slices.ContainsFunc(numbers.Tags, func(n struct {
				Tag   string
				Count int
			}) bool {
				return n.Tag == tag && n.Count == items
			}) {
				return fmt.Errorf("the summary has %+v", numbers.Tags)
			}
			return nil
		})
	}
	everything, err := c.feedList(within(t), url.Values{"limit": {"1000"}})
	if err != nil || len(everything) != items {
		t.Errorf("%d items in all, want %d, %v", len(everything), items, err)
	}
}
